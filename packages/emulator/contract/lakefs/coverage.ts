import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { seenAnswers } from "./schema.ts";

/** The README's table: an operation's name in the server's description, and its statuses. */
function table(): string[] {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^\| `(\w+)` \| ([\d, ]+) \|/gm)];
  return rows.map(([, name = "", statuses = ""]) => `${name} ${statuses.trim()}`).toSorted();
}

test("the README's table has exactly the operations and statuses that this suite has seen", () => {
  const rows = [...seenAnswers()].map(
    ([name, statuses]) => `${name} ${[...statuses].toSorted((a, b) => a - b).join(", ")}`,
  );
  expect(table()).toEqual(rows.toSorted());
});
