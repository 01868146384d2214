import { readFileSync } from "node:fs";
import { LakefsError, SyncError, type LakefsErrorCode, type SyncErrorCode } from "@perago/lakefs-sync";
import { describe, expect, test } from "vitest";
import { STATUS_OF_CODE } from "../src/attempt/machine/result-table.ts";
import { AttemptError, FAILURE_CODES } from "../src/failure.ts";
import { attemptError } from "../src/lakefs/lakefs-failure.ts";
import { asSyncAttempt } from "../src/workspace/sync-failure.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const page = read("../../../docs/errors.md");

/** Cells of a section's table, one row a line, without head and rule. */
function rows(section: string): readonly (readonly string[])[] {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  if (text === undefined) throw new Error(`docs/errors.md has no section ${section}`);
  const lines = text.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, "").trim()));
}

function codesOf(section: string): readonly string[] {
  return rows(section).flatMap(([cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? ""));
}

/** Code, and the code that a task gets by it, of all rows. */
function firstTwo(section: string): readonly string[] {
  return rows(section)
    .map(([code, inTask]) => `${code} ${inTask}`)
    .toSorted();
}

/** The members of a union type, as they are written one a line. */
function unionOf(path: string): readonly string[] {
  return [...read(path).matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code ?? "");
}

describe("docs/errors.md", () => {
  test("rule R7: every failure code has one row, and every row is a failure code", () => {
    expect(codesOf("A task has failed").toSorted()).toEqual([...FAILURE_CODES].toSorted());
  });

  test("rule R7: every row says the status that the result table gives, what happened, and what to do", () => {
    const said = rows("A task has failed").map(([code, , status]) => `${code} ${status}`);
    const told = FAILURE_CODES.map((code) => {
      return `\`${code}\` ${STATUS_OF_CODE[code] === "FAILED_WITH_TERMINAL_ERROR" ? "terminal" : "FAILED"}`;
    });
    expect(said.toSorted()).toEqual(told.toSorted());
    for (const row of rows("A task has failed")) {
      expect(row).toHaveLength(4);
      for (const cell of row) expect(cell).not.toBe("");
    }
  });

  test("every code of a Conductor error has a row", () => {
    expect(codesOf("Conductor's side")).toEqual(unionOf("../src/conductor/errors.ts"));
  });

  test("every code of a lakeFS error has a row, with the code that a task gets by it", () => {
    const codes = unionOf("../../lakefs-sync/src/client/errors.ts");
    expect(codes.length).toBeGreaterThan(0);
    const told = codes.map((code) => `\`${code}\` \`${lakefsCode(code as LakefsErrorCode)}\``);
    expect(firstTwo("lakeFS' side")).toEqual(told.toSorted());
  });

  test("every code of folder and data has a row, with the code that a task gets by it", async () => {
    const codes = unionOf("../../lakefs-sync/src/errors.ts");
    expect(codes.length).toBeGreaterThan(0);
    const told = await Promise.all(
      codes.map(async (code) => `\`${code}\` \`${await syncCode(code as SyncErrorCode)}\``),
    );
    expect(firstTwo("Folder and data")).toEqual(told.toSorted());
  });

  test("every event that the machine notes has a row", () => {
    const machine = ["settle", "report", "cleanup", "publish-decision", "hard-fence"].map((name) =>
      read(`../src/attempt/machine/${name}.ts`),
    );
    const noted = machine.flatMap((text) => [...text.matchAll(/name: "(\w+)"/g)].map(([, name]) => name ?? ""));
    expect(noted).toContain("publish_race");
    expect(codesOf("A line in the log that wants attention").toSorted()).toEqual([...new Set(noted)].toSorted());
  });
});

function lakefsCode(code: LakefsErrorCode): string {
  const fields = { status: 0, operation: "getBranch", message: "x", hint: "y", retryable: false } as const;
  const error = attemptError(new LakefsError({ ...fields, code, outcome: "refused" }));
  return error instanceof AttemptError ? error.code : "none";
}

async function syncCode(code: SyncErrorCode): Promise<string> {
  try {
    await asSyncAttempt(Promise.reject(new SyncError(code, "x")));
    return "none";
  } catch (error) {
    return error instanceof AttemptError ? error.code : "none";
  }
}
