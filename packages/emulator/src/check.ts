import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkLakefs } from "./lakefs/check.ts";
import { openDatabase } from "./store/database.ts";

const files = ["lakefs.db", "conductor.db"];

/** What is wrong in a folder of state that no emulator is using; nothing where it is sound. */
export function checkFolder(folder: string): string[] {
  const findings: string[] = [];
  for (const file of files) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    const db = openDatabase(path, true);
    try {
      findings.push(...db.integrityFindings().map((finding) => `${file}: ${finding}`));
      for (const row of db.all("PRAGMA foreign_key_check")) {
        findings.push(
          `${file}: a row of ${String(row["table"])} refers to one of ${String(row["parent"])} that is not there`,
        );
      }
      if (file === "lakefs.db") findings.push(...checkLakefs(db, join(folder, "objects")));
    } finally {
      db.close();
    }
  }
  return findings;
}
