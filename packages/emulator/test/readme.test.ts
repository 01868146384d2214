import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as api from "../src/index.ts";
import { startEmulator, type Emulator } from "../src/emulator.ts";

const here = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = here("../README.md");

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(async () => {
  await emulator.close();
});

test("the README's example is the file that is compiled, and it runs", async () => {
  const example = here("./readme-example.ts")
    .replace(/^\/\/ oxlint-disable.*\n/, "")
    .replace("../src/index.ts", "@perago/emulator");
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  await import("./readme-example.ts");
});

test("the README names every function of the package", () => {
  for (const name of Object.keys(api)) expect(readme).toContain(`\`${name}(`);
});

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

function operations(): Operation[] {
  const { paths }: { paths: Record<string, Record<string, { operationId?: string }>> } = JSON.parse(
    here("../openapi/lakefs-1.84.0.openapi.json"),
  );
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId }]) =>
      operationId === undefined ? [] : [{ id: operationId, method: method.toUpperCase(), path }],
    ),
  );
}

test("what is not in the README's table is answered 501 with its name, and what is in it is not", async () => {
  const inside = new Set([...readme.matchAll(/^\| `(\w+)` \| [\d, ]+ \|/gm)].map((match) => match[1]));
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`;
  const outside: string[] = [];
  for (const { id, method, path } of operations()) {
    const real = `${url}/api/v1${path.replaceAll(/\{\w+\}/g, "some-thing")}`;
    const body = method === "GET" || method === "HEAD" ? {} : { body: "{}" };
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(real, { method, headers, ...body });
    const text = await response.text();
    if (response.status === 501 && text.includes(`${id} is not in the emulator`)) outside.push(id);
  }
  const expected = operations().filter(({ id }) => !inside.has(id));
  expect(outside.toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
  expect(inside.size + outside.length).toBe(operations().length);
});
