import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureFrom } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject } from "../../test/fake-lakefs.ts";
import { contextTo } from "../../test/job-context.ts";
import { putFile, tempFolder } from "../../test/temp-folder.ts";
import type { ListedObject } from "../listing/object-table.ts";
import { downloadObject, type DownloadTarget } from "./download.ts";

const where = { repository: "r", commitId: "c1" };

function recordOf(key: string, sizeBytes: number): ListedObject {
  return { key, path: key, sizeBytes, checksum: "opaque-2", contentType: "", metadata: {}, hash: undefined };
}

async function download(record: ListedObject, content: Buffer | string, target: DownloadTarget): Promise<string> {
  const { endpoint } = await fakeLakefs({ c1: new Map([[record.key, fakeObject(content)]]) });
  return await downloadObject(contextTo(endpoint), where, record, target);
}

test.for([10, 900_000])(
  "case B08 case B07: %i bytes of the wrong size fail where no MD5 is known",
  async (sizeBytes) => {
    const folder = tempFolder();
    for (const recordSizeBytes of [sizeBytes - 1, sizeBytes + 1]) {
      const path = String(recordSizeBytes);
      const target = { folder, absolutePath: join(folder, path), path };
      const work = (): Promise<string> => download(recordOf("in/a", recordSizeBytes), Buffer.alloc(sizeBytes), target);
      expect(await failureFrom(work)).toMatchObject({ code: "transfer_mismatch", names: ["in/a"] });
    }
  },
);

test("case T02: a download never writes through a link or over a file that is there", async () => {
  const folder = tempFolder();
  const outside = join(tempFolder(), "outside");
  symlinkSync(outside, join(folder, "link"));
  putFile(folder, "file", "mine");
  for (const path of ["link", "file"]) {
    const target = { folder, absolutePath: join(folder, path), path };
    expect(await failureFrom(() => download(recordOf("in/a", 3), "new", target))).toMatchObject({ code: "disk_error" });
  }
  expect([existsSync(outside), readFileSync(join(folder, "file"), "utf8")]).toEqual([false, "mine"]);
});
