import type { Commit } from "@perago/lakefs-sync";
import { expect, test } from "vitest";
import { historyRows, type Refusal } from "./history.ts";
import { renderPage } from "./page.ts";
import { historyPicture, wrap } from "./terminal.ts";

const id = (letter: string): string => letter.repeat(64);

function commit(letter: string, metadata: Record<string, string> = {}, message = `message ${letter}`): Commit {
  return { id: id(letter), parents: [], message, committer: "c", creation_date: 0, metadata };
}

function confirm(letter: string, over: string, retryCount = "0"): Commit {
  return commit(letter, {
    "perago.phase": "confirm",
    "perago.logical_task_key": "wf:build:0:features.build",
    "perago.prefix": "audio/render/",
    "perago.supersedes": over,
    "perago.retry_count": retryCount,
    "perago.task_def_name": "features.build",
    "perago.workflow_instance_id": "wf-12345678",
    "perago.task_id": "task-12345678",
  });
}

const HOSTILE = `</style><script>alert("1")</script>\u001B[31m`;
const refusal: Refusal = {
  task: HOSTILE,
  retryCount: 0,
  workflowId: "wf-2",
  taskId: "task-2",
  reason: `publish_fence: ${id("d")} ${HOSTILE} | mend`,
  head: id("d"),
};
const commits = [confirm("e", ""), commit("d", {}, HOSTILE), confirm("c", id("b"), "1"), confirm("b", ""), commit("a")];
const story = { repository: "songs", branch: "main", startHead: id("a"), acts: [], refusals: [refusal], commits };
const rows = historyRows(story);

test("the history says what each commit is, and a refused attempt stands above the head that it met", () => {
  expect(rows.map(({ kind }) => kind)).toEqual(["confirm", "refused", "foreign", "supersede", "confirm", "start"]);
  expect(rows[3]).toMatchObject({ kind: "supersede", id: id("c"), over: id("b"), retryCount: 1 });
});

test("a commit with half of the metadata, and a try commit on the target, are foreign", () => {
  const half = commit("f", { "perago.phase": "confirm" });
  const tried = { ...confirm("f", ""), metadata: { ...confirm("f", "").metadata, "perago.phase": "try" } };
  for (const odd of [half, tried]) {
    const [row] = historyRows({ commits: [odd, commit("a")], startHead: id("a"), refusals: [] });
    expect(row?.kind).toBe("foreign");
  }
});

test("the picture has short ids, no control character, and all of the reason", () => {
  const picture = historyPicture(rows, (_, text) => text).join("\n");
  expect(picture).toContain(
    "● cccccccc  supersede  features.build  attempt 1  workflow wf-12345  task task-123, over bbbbbbbb",
  );
  expect(picture).toContain("publish_fence: dddddddd");
  expect(picture).not.toContain(id("d"));
  expect(picture).not.toMatch(/\u001B/);
});

test("the page holds nothing but text of what came from elsewhere, and asks no network", () => {
  const page = renderPage({ story: { ...story, branch: HOSTILE }, rows, elapsedMs: 1234, madeAt: new Date(0) });
  expect(page).not.toContain("<script");
  expect(page.match(/<\/style>/g)).toHaveLength(1);
  expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
  expect(page).not.toMatch(/(src|href)=|url\(|@import|https?:/);
  expect(page).toContain("1970-01-01 00:00 UTC");
});

test("words are wrapped, none is lost", () => {
  expect(wrap("a bb ccc dddddddd e", 5)).toEqual(["a bb", "ccc", "dddddddd", "e"]);
});
