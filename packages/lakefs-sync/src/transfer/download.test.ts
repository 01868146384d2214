import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureFrom } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject } from "../../test/fake-lakefs.ts";
import { contextTo } from "../../test/job-context.ts";
import { putFile, tempFolder } from "../../test/temp-folder.ts";
import type { ListedObject } from "../listing/object-table.ts";
import type { FilePlace } from "../folder/new-file.ts";
import { placeObject } from "./place-object.ts";

const where = { repository: "r", commitId: "c1" };

function recordOf(key: string, sizeBytes: number): ListedObject {
  return { key, path: key, sizeBytes, checksum: "opaque-2", contentType: "", metadata: {}, hash: undefined };
}

async function download(object: ListedObject, content: Buffer | string, place: FilePlace): Promise<string> {
  const { endpoint } = await fakeLakefs({ c1: new Map([[object.key, fakeObject(content)]]) });
  return (await placeObject(contextTo(endpoint), where, { object, contentId: undefined }, place)).md5;
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
