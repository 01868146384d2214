import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { fakeHttp } from "../../test/fake-http.ts";
import { maxYoungGenerationSizeMb } from "../transfer/sync-worker.ts";

const mebibyte = 1024 * 1024;
const pageEntryCount = 1000;

/** A page of a listing of `keyCount` keys, made when it is asked for. */
function pageAfter(after: string, keyCount: number): string {
  const first = after === "" ? 0 : Number(after.slice(-7)) + 1;
  const last = Math.min(keyCount, first + pageEntryCount);
  const entries: string[] = [];
  let key = "";
  for (let index = first; index < last; index += 1) {
    const number = String(index).padStart(7, "0");
    key = `data/year=2026/day=${number.slice(0, 4)}/part-of-a-table-${number}`;
    const checksum = createHash("md5").update(number).digest("hex");
    const record = `"size_bytes":${index},"checksum":"${checksum}","content_type":"application/octet-stream"`;
    entries.push(`{"path":"${key}","path_type":"object","physical_address":"s3://bucket/x/${checksum}",${record}}`);
  }
  const pagination = { has_more: last < keyCount, next_offset: key, results: entries.length, max_per_page: 1000 };
  return `{"pagination":${JSON.stringify(pagination)},"results":[${entries.join(",")}]}`;
}

interface Told {
  readonly count: number;
  readonly defects: number;
  readonly uploads: number;
  readonly maxResidentKibibytes: number;
}

/** Lists and plans so many keys in a process of its own. */
async function planMany(keyCount: number): Promise<Told> {
  const { endpoint, seen } = await fakeHttp((request, response) => {
    const after = new URL(request.target, "http://fake").searchParams.get("after") ?? "";
    response.writeHead(200, { "content-type": "application/json" }).end(pageAfter(after, keyCount));
  });
  const script = new URL("../../test/plan-many-child.ts", import.meta.url).pathname;
  const run = promisify(execFile);
  // The room for young garbage that the sync thread has: three semi-spaces.
  const semiSpace = `--max-semi-space-size=${maxYoungGenerationSizeMb / 3}`;
  const { stdout } = await run(process.execPath, ["--conditions=perago-source", semiSpace, script, endpoint]);
  expect(seen.length).toBe(Math.ceil(keyCount / pageEntryCount));
  const told: Told = JSON.parse(stdout);
  return told;
}

test(
  "case B12: 1,000,000 keys are listed and planned in under 400 MiB, at under 250 bytes a key",
  { timeout: 300_000 },
  async () => {
    const few = await planMany(100_001);
    const many = await planMany(1_000_000);
    expect(few).toMatchObject({ count: 100_001, defects: 0, uploads: 1 });
    expect(many).toMatchObject({ count: 1_000_000, defects: 0, uploads: 1 });
    expect(many.maxResidentKibibytes * 1024).toBeLessThan(400 * mebibyte);
    const bytesPerKey = ((many.maxResidentKibibytes - few.maxResidentKibibytes) * 1024) / (many.count - few.count);
    expect(bytesPerKey).toBeLessThan(250);
  },
);
