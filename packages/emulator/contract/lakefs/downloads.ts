import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "./client.ts";
import { lakefs } from "./under-test.ts";

const BIG_BYTES = 1_000_000;

describe("downloads", () => {
  let repository = "";
  let path = "";
  const big = Buffer.alloc(BIG_BYTES, "abcdefghij").toString();
  beforeAll(async () => {
    repository = await lakefs().repository();
    path = `/repositories/${repository}/refs/main/objects`;
    await lakefs().put(repository, "main", "small", "0123456789", "text/x-some");
    await lakefs().put(repository, "main", "empty", "");
    await lakefs().put(repository, "main", "big", big);
  });

  const get = async (name: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
    lakefs().call(method, path, { query: { path: name }, headers });

  test("a whole object comes with checksum, type and length", async () => {
    const answer = await get("small");
    expect(answer).toMatchObject({ status: 200, text: "0123456789" });
    expect(answer.headers.get("etag")).toBe('"781e5e245d69b566979b86e28d23f2c7"');
    expect(answer.headers.get("content-type")).toBe("text/x-some");
    expect(answer.headers.get("content-length")).toBe("10");
    expect(answer.headers.get("cache-control")).toBe("no-store, must-revalidate");
    expect(Date.parse(answer.headers.get("last-modified") ?? "")).toBeGreaterThan(0);
    expect(await get("empty")).toMatchObject({ status: 200, text: "" });
  });

  test.for([
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=-30", "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", "89", "bytes 8-9/10"],
  ] as const)("the range %s is %s", async ([range, text, contentRange]) => {
    const answer = await get("small", { range });
    expect(answer).toMatchObject({ status: 206, text });
    expect(answer.headers.get("content-range")).toBe(contentRange);
    expect(answer.headers.get("content-length")).toBe(String(text.length));
  });

  test.for(["bytes=a-b", "lines=1-2", "bytes=1"])("the range %s is 400", async (range) => {
    expect(await get("small", { range })).toMatchObject({ status: 400 });
  });

  test.for(["bytes=10-", "bytes=20-30", "bytes=5-2", "bytes=0-1,3-4", "bytes=-0"])(
    "the range %s is 416",
    async (range) => {
      const answer = await get("small", { range });
      expect(answer).toMatchObject({ status: 416, message: "Requested Range Not Satisfiable" });
    },
  );

  test("a range of a big object is cut out of it", async () => {
    const answer = await get("big", { range: "bytes=499995-500014" });
    expect(answer).toMatchObject({ status: 206, text: big.slice(499_995, 500_015) });
    expect((await get("big")).text).toBe(big);
  });

  test("HEAD has the headers and no body", async () => {
    const answer = await get("small", {}, "HEAD");
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect(answer.headers.get("content-length")).toBe("10");
    expect(answer.headers.get("accept-ranges")).toBe("bytes");
    const part = await get("small", { range: "bytes=1-2" }, "HEAD");
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe("bytes 1-2/10");
    expect(await get("small", { range: "bytes=90-" }, "HEAD")).toMatchObject({ status: 416, text: "" });
    expect(await get("nope", {}, "HEAD")).toMatchObject({ status: 404, text: "" });
  });

  test("If-None-Match with the object's own tag is 304", async () => {
    const etag = (await get("small")).headers.get("etag") ?? "";
    expect(await get("small", { "if-none-match": etag })).toMatchObject({ status: 304, text: "" });
    expect(await get("small", { "if-none-match": '"other"' })).toMatchObject({ status: 200 });
  });

  test("what is not there is 404, no path is 400", async () => {
    expect(await get("nope")).toMatchObject({ status: 404, message: "not found" });
    expect(await lakefs().call("GET", path)).toMatchObject({ status: 400 });
    const elsewhere = `/repositories/${repository}/refs/nope/objects`;
    const answer = await lakefs().call("GET", elsewhere, { query: { path: "small" } });
    expect(answer).toMatchObject({ status: 404 });
  });
});
