import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import {
  answerJson,
  clientTo,
  connectionTo,
  failureFrom,
  fakeHttp,
  fastClock,
  testSecret,
} from "../../test/fake-http.ts";
import { LakefsClient } from "./client.ts";
import { LakefsError } from "./errors.ts";
import { findProxyVariable } from "./proxy-hint.ts";

const branch = { id: "main", commit_id: "c1" };
const merge = { sourceRef: "s", destinationBranch: "main", message: "m", metadata: {}, squashMerge: true };

async function lakefsFailure(work: () => Promise<unknown>): Promise<LakefsError> {
  const error = await failureFrom(work);
  if (!(error instanceof LakefsError)) throw error;
  return error;
}

test("fault E4, case B19: a read is repeated over 429 and 503, and waits as long as it is told", async () => {
  const clock = fastClock();
  const { endpoint, seen } = await fakeHttp((_request, response, count) => {
    if (count === 1) response.writeHead(429, { "retry-after": "2" }).end();
    else if (count === 2) response.writeHead(503).end();
    else answerJson(response, branch);
  });
  expect(await clientTo(endpoint, { clock }).getBranch("r", "main")).toEqual(branch);
  expect(seen.length).toBe(3);
  expect(clock.slept[0]).toBeGreaterThanOrEqual(2000);
});

test("case B19 fault F4: a server that never recovers gets a bounded number of requests", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response) => void response.writeHead(503).end());
  const error = await lakefsFailure(() => clientTo(endpoint).getBranch("r", "main"));
  expect(error).toMatchObject({ code: "unknown", status: 503 });
  expect(seen.length).toBe(10);
});

test.for([429, 499, 500, 502, 503, 504])("rule C5 fault B4: a merge answered %i is sent once", async (status) => {
  const { endpoint, seen } = await fakeHttp((_request, response) => void response.writeHead(status).end("{}"));
  const error = await lakefsFailure(() => clientTo(endpoint).mergeIntoBranch("r", merge));
  expect(error.outcome).toBe(status === 429 ? "refused" : "unknown");
  expect(seen.length).toBe(1);
});

test("case B14: a merge that a proxy gave up while the server goes on is unknown, sent once, and says where to look", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response, count) => {
    if (count === 1) response.writeHead(504, { "content-type": "text/html" }).end("<html>Gateway Time-out</html>");
    else setTimeout(() => response.socket?.destroy(), 20);
  });
  const client = clientTo(endpoint);
  for (const sentCount of [1, 2]) {
    const error = await lakefsFailure(() => client.mergeIntoBranch("r", merge));
    expect(error).toMatchObject({
      code: "unknown",
      outcome: "unknown",
      hint: expect.stringContaining("read the branch"),
    });
    expect(seen.length).toBe(sentCount);
  }
});

test("rule C5: a merge or commit whose connection breaks is sent once and its outcome is unknown", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response) => void response.socket?.resetAndDestroy());
  const client = clientTo(endpoint);
  expect((await lakefsFailure(() => client.mergeIntoBranch("r", merge))).outcome).toBe("unknown");
  expect((await lakefsFailure(() => client.commit("r", "b", { message: "m" }))).outcome).toBe("unknown");
  expect(seen.length).toBe(2);
});

test("rule C1: a merge says squash_merge and allow_empty explicitly", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response) => answerJson(response, { reference: "c2" }));
  await clientTo(endpoint).mergeIntoBranch("r", { ...merge, squashMerge: false });
  expect(JSON.parse(seen[0]?.body.toString() ?? "")).toMatchObject({ squash_merge: false, allow_empty: false });
});

test("rule C8: a refused merge carries the hook's words and is not repeated", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response) =>
    answerJson(response, { message: "pre-merge hook aborted, run id 'r1': head moved" }, 412),
  );
  const error = await lakefsFailure(() => clientTo(endpoint).mergeIntoBranch("r", merge));
  expect(error).toMatchObject({ code: "hook_refused", outcome: "refused" });
  expect(error.message).toContain("run id 'r1': head moved");
  expect(seen.length).toBe(1);
});

test("fault E3: a 409 with a merge result is a conflict", async () => {
  const { endpoint } = await fakeHttp((_request, response) => answerJson(response, { reference: "" }, 409));
  expect((await lakefsFailure(() => clientTo(endpoint).mergeIntoBranch("r", merge))).code).toBe("conflict");
});

test("fault E7: a page from a proxy and cut JSON are typed errors, and a merge's outcome is then unknown", async () => {
  const { endpoint } = await fakeHttp((request, response) => {
    if (request.method === "POST") response.writeHead(200).end("<html>login</html>");
    else response.writeHead(200).end('{"id": "main", "commit');
  });
  const client = clientTo(endpoint);
  expect(await lakefsFailure(() => client.mergeIntoBranch("r", merge))).toMatchObject({
    code: "bad_response",
    outcome: "unknown",
  });
  expect(await lakefsFailure(() => client.getBranch("r", "main"))).toMatchObject({ code: "bad_response" });
});

test("fault E7: an answer of another shape is a typed error that names the field", async () => {
  const { endpoint } = await fakeHttp((_request, response) => answerJson(response, { id: "main" }));
  expect((await lakefsFailure(() => clientTo(endpoint).getBranch("r", "main"))).message).toContain("commit_id");
});

test("fault E7: an answer cut in the middle is repeated for a read", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response, count) => {
    if (count > 1) {
      answerJson(response, branch);
      return;
    }
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"id":');
    setImmediate(() => response.socket?.destroy());
  });
  expect(await clientTo(endpoint).getBranch("r", "main")).toEqual(branch);
  expect(seen.length).toBe(2);
});

test("fault E7 case B16: a call ends at its own deadline, also while a body is stalled", async () => {
  const { endpoint } = await fakeHttp((request, response) => {
    if (request.method === "GET") response.writeHead(200, { "content-length": "10" }).write("{");
  });
  const client = clientTo(endpoint);
  const read = await lakefsFailure(() => client.getBranch("r", "main", { timeoutMs: 150 }));
  expect(read).toMatchObject({ code: "unknown" });
  const sent = await lakefsFailure(() => client.mergeIntoBranch("r", merge, { timeoutMs: 150 }));
  expect(sent).toMatchObject({ code: "unknown", outcome: "unknown" });
  expect(sent.message).toContain("within 150 ms");
});

test("case B16: the silence limit of a connection is explicit", async () => {
  const { endpoint } = await fakeHttp(() => undefined);
  const policy = { tryCount: 1, baseDelayMs: 1, maxDelayMs: 1, maxRetryAfterMs: 1 };
  const client = clientTo(endpoint, { policy }, { idleTimeoutMs: 100 });
  const error = await lakefsFailure(() => client.getBranch("r", "main", { timeoutMs: 30_000 }));
  expect(error.message).toContain("UND_ERR_HEADERS_TIMEOUT");
});

test("an aborted call ends at once and says so", async () => {
  const { endpoint } = await fakeHttp(() => undefined);
  const controller = new AbortController();
  const work = lakefsFailure(() => clientTo(endpoint).getBranch("r", "main", { signal: controller.signal }));
  controller.abort();
  expect((await work).code).toBe("aborted");
});

test("a server that is down is unreachable, not unknown, and named by host and port", async () => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const error = await lakefsFailure(() => clientTo(`http://127.0.0.1:${port}`).mergeIntoBranch("r", merge));
  expect(error).toMatchObject({ code: "unreachable", outcome: "not_sent" });
  expect(error.message).toContain(`127.0.0.1:${port}`);
});

test("localhost works where the server listens on IPv4 only", async () => {
  const { endpoint } = await fakeHttp((_request, response) => answerJson(response, branch));
  expect(await clientTo(endpoint.replace("127.0.0.1", "localhost")).getBranch("r", "main")).toEqual(branch);
});

test("an endpoint with /api/v1 or a slash at its end is the same endpoint", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response) => answerJson(response, branch));
  await clientTo(`${endpoint}/api/v1/`).getBranch("r", "a/b");
  expect(seen[0]?.target).toBe("/api/v1/repositories/r/branches/a%2Fb");
});

test("case A03: where a proxy variable is set, a failed connection says that it is not used", async () => {
  const proxyVariable = findProxyVariable({ HTTPS_PROXY: "http://user:pw@p:1" });
  const parts = { policy: { tryCount: 1, baseDelayMs: 1, maxDelayMs: 1, maxRetryAfterMs: 1 } };
  const client = clientTo("http://127.0.0.1:9", parts, proxyVariable === undefined ? {} : { proxyVariable });
  const error = await lakefsFailure(() => client.getBranch("r", "main"));
  expect(error.hint).toContain("HTTPS_PROXY is set");
  expect(error.hint).not.toContain("pw");
  expect(findProxyVariable({ HTTPS_PROXY: "" })).toBeUndefined();
});

test("case A01 case A02: no secret and no presigned query in any error, message or inspection", async () => {
  const basic = Buffer.from(`AKIATEST:${testSecret}`).toString("base64");
  const words = `denied ${testSecret} ${basic} https://store/x?X-Amz-Signature=abc`;
  const { endpoint } = await fakeHttp((_request, response) => answerJson(response, { message: words }, 403));
  const client = new LakefsClient(connectionTo(endpoint), { clock: fastClock() });
  const error = await lakefsFailure(() => client.getBranch("r", "main"));
  await client.close();
  const shown = [
    error.message,
    error.stack,
    inspect(error, { depth: 9, showHidden: true }),
    JSON.stringify(error.toFields()),
  ];
  shown.push(inspect(client, { depth: 9, showHidden: true }), JSON.stringify(client), String(client));
  for (const text of shown) {
    expect(text).not.toContain(testSecret);
    expect(text).not.toContain(basic);
    expect(text).not.toContain("X-Amz-");
  }
});

test("case B15: a proxy that refuses the size is named as that", async () => {
  const { endpoint } = await fakeHttp((_request, response) => void response.writeHead(413).end("<html>too big</html>"));
  const source = { sizeBytes: 3, open: () => Buffer.from("abc") };
  const upload = {
    repository: "r",
    branch: "b",
    path: "k",
    source,
    attributes: { contentType: "text/plain", metadata: {} },
  };
  const error = await lakefsFailure(() => clientTo(endpoint).uploadObject(upload));
  expect(error).toMatchObject({ code: "too_large", hint: expect.stringContaining("proxy") });
  expect(error.message).toContain("r/b/k");
});
