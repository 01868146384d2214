import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBench, type Started } from "../support/bench.ts";
import { untilEnded } from "../support/conductor.ts";
import { expectNothingLeft, outputRef } from "../support/outcome.ts";
import { isDownload } from "../support/requests.ts";
import { until } from "../support/until.ts";

const names = Array.from({ length: 20 }, (_, index) => `work/f${index}`);
const TREE = Object.fromEntries(names.map((name) => [name, `${name} ${"x".repeat(2_000)}`]));

const bench = await createBench({ tasks: ["files"], label: "cache", tree: TREE });
const { repository, input, lakefs } = bench;
const change = [{ do: "write", path: "new.txt", content: "new" }] as const;

/** Objects of a commit that were read since the test began: whole, or the one byte that is asked for in any case. */
function readCount(ref: string): number {
  return lakefs.requests.filter((request) => isDownload(request) && request.path.includes(`/refs/${ref}/`)).length;
}

/** The commit that the only step of a workflow published, once its host has put everything away. */
async function published({ host, workflowId }: Started): Promise<string> {
  const { tasks } = await untilEnded(workflowId, { decide: true });
  await until("the host has put everything away", async () => (await host.folders()).length === 0);
  const task = tasks.at(-1);
  expect(task?.status).toBe("COMPLETED");
  return task === undefined ? "" : outputRef(task);
}

async function contents(home: string): Promise<readonly string[]> {
  const objects = join(home, "cache", "objects");
  const shards = await readdir(objects);
  const found = await Promise.all(
    shards.map(async (shard) => (await readdir(join(objects, shard))).map((name) => join(objects, shard, name))),
  );
  return found.flat();
}

test("a retry, the next step and the host that starts again download only what this machine has not seen", async () => {
  const branch = await repository.newBranch("steps", input);
  const first = await bench.start("files", { branch }, [{ do: "fail", reason: "on purpose" }], change);
  const step = await published(first);
  expect(readCount(input)).toBe(names.length + 1);
  const second = await bench.start("files", { branch, ref: step }, [{ do: "write", path: "f1", content: "changed" }]);
  const next = await published(second);
  expect(readCount(step)).toBe(1);
  expect(await repository.tree(next)).toEqual({ ...TREE, "work/new.txt": "new", "work/f1": "changed" });
  await second.host.kill();
  await bench.host(second.host.home);
  const third = await bench.start("files", { branch, ref: next }, [{ do: "remove", path: "f2" }]);
  const last = await published(third);
  expect(readCount(next)).toBe(1);
  const { "work/f2": _, ...rest } = await repository.tree(next);
  expect(await repository.tree(last)).toEqual(rest);
  await expectNothingLeft(repository, third.host);
});

test("bit rot in every file of the cache: all comes from the server once more, and what is published is right", async () => {
  const branch = await repository.newBranch("rot", input);
  const first = await bench.start("files", { branch: await repository.newBranch("sound", input) }, change);
  await published(first);
  const files = await contents(first.host.home);
  expect(files.length).toBeGreaterThan(names.length);
  for (const file of files) {
    const bytes = await readFile(file);
    bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
    await writeFile(file, bytes);
  }
  const before = readCount(input);
  const second = await bench.start("files", { branch }, change);
  expect(await repository.tree(await published(second))).toEqual({ ...TREE, "work/new.txt": "new" });
  expect(readCount(input) - before).toBe(names.length);
});
