import { describe, expect, it } from "vitest";
import { audit } from "./audit.ts";
import type { History, QuietTrial } from "./history.ts";
import { commitId, completion, confirm, execution, FORGED, foreign, history, START, target } from "./testing/forge.ts";

const first = { taskId: "task-1", scheduledTime: 10_000 };
const second = { taskId: "task-2", scheduledTime: 20_000 };
const one = confirm("one", START, first);
const two = confirm("two", one, second);
const { repository, branch, workflowId, key: logicalTaskKey } = FORGED;

/** The first attempt has published and died; the second has superseded it and is the output. */
const superseded: Partial<History> = {
  targets: [target(one, two)],
  executions: [execution("one", first, { reports: [], end: "died" }), execution("two", second)],
  workflows: [
    {
      workflowId,
      repository,
      branch,
      status: "COMPLETED",
      tasks: [
        { ...first, status: "TIMED_OUT", pollCount: 1 },
        { ...second, status: "COMPLETED", pollCount: 1, ref: two.id },
      ],
    },
  ],
  completions: [completion("two", second)],
};

function broken(changes: Partial<History>): string[] {
  return audit(history(changes)).map(({ invariant, what }) => `${invariant} ${what}`);
}

function trial(changes: Partial<QuietTrial>): QuietTrial {
  const named = { workflowId, repository, branch, logicalTaskKey, inputRef: START.id };
  return { ...named, what: "rerun", headBefore: one.id, statusAfter: "COMPLETED", ...changes };
}

function left(changes: Partial<History["left"]>): Partial<History> {
  return { left: { ...history().left, ...changes } };
}

it("finds nothing in a run where nothing is wrong, nor where a retry has superseded a dead attempt", () => {
  expect(broken({})).toEqual([]);
  expect(broken(superseded)).toEqual([]);
});

describe("S1", () => {
  const raced = confirm("one", START, first, { "perago.expected_head": commitId("elsewhere") });
  const told = { reports: [{ status: "FAILED", reason: "publish_race: told" }] };

  it("catches a commit on another head than it expected", () => {
    expect(broken({ targets: [target(raced)] })).toContain("S1 does not lie on the head that it expected");
  });

  it("with the soft fence catches one that is an output, or that nobody has told; one that is told passes", () => {
    const soft = { fence: "soft", targets: [target(raced)] } as const;
    expect(broken(soft)).toContain("S1 lost a race and is a COMPLETED output");
    const failed = { status: "FAILED", reason: "server_unavailable: away" };
    const untold = { ...soft, completions: [], executions: [execution("one", first, { reports: [failed] })] };
    expect(broken(untold)).toContain("S1 lost a race and nobody has told");
    expect(
      broken({ ...untold, executions: [execution("one", first, told)] }).filter((it) => it.startsWith("S1 ")),
    ).toEqual([]);
  });

  it("with the soft fence asks the next walk to tell of a race whose maker has died", () => {
    const died = execution("one", first, { reports: [], end: "died" });
    const walked = { ...superseded, fence: "soft", targets: [target(raced, two)] } as const;
    const s1 = (changes: Partial<History>): string[] => broken(changes).filter((it) => it.startsWith("S1 "));
    expect(s1({ ...walked, executions: [died, execution("two", second)] })).toHaveLength(1);
    const notes = [{ name: "publish_race", message: `commit ${raced.id} lies on another head` }];
    expect(s1({ ...walked, executions: [died, execution("two", second, { notes })] })).toEqual([]);
    expect(s1({ fence: "soft", targets: [target(raced)], completions: [], executions: [died] })).toEqual([]);
  });
});

describe("S2", () => {
  it("catches an output that is not on its target", () => {
    expect(broken({ targets: [target()], seenCommits: [] })).toContain("S2 is not on its target");
  });
  it("catches an output that nobody has reported, or with another ref", () => {
    const elsewhere = [{ status: "COMPLETED", ref: START.id, files: {} }];
    expect(broken({ executions: [execution("one", first, { reports: elsewhere })] })).toContain(
      "S2 was reported by nobody",
    );
  });
  it("catches a tree that is not the folder's", () => {
    const reports = [{ status: "COMPLETED", ref: one.id, files: { "a.txt": "md5 of one", "b.txt": "more" } }];
    expect(broken({ executions: [execution("one", first, { reports })] })).toContainEqual(
      expect.stringMatching(/^S2 shows \{a\.txt:md5 of o\}, the folder held \{a\.txt:md5 of o b\.txt:more\}$/),
    );
  });
});

it("S3: catches a commit over a foreign one", () => {
  const others = foreign("others", START);
  const over = { ...confirm("one", others, first), inside: one.inside };
  expect(broken({ targets: [target(others, over)] })).toContainEqual(expect.stringMatching(/^S3 was published over/));
});

it("S3: catches a commit whose input is not below it", () => {
  const lost = confirm("one", START, first, { "perago.input_ref": commitId("nowhere") });
  expect(broken({ targets: [target(lost)] })).toContain("S3 its input is not below the head that it expected");
});

it("S4: catches a change outside the prefix", () => {
  expect(broken({ targets: [target({ ...one, outside: "changed" })] })).toContain(
    "S4 changed something outside its prefix",
  );
});

it("S5: catches a merge of an attempt that was stale at the second check, and a publication that nobody saw sent", () => {
  const checks = [{ current: false, mergesBefore: 0 }];
  expect(broken({ executions: [execution("one", first, { checks })] })).toContain(
    "S5 sent a merge though it was stale at the second check",
  );
  expect(broken({ executions: [execution("one", first, { checks, mergeCount: 0 })] })).toContainEqual(
    expect.stringMatching(/^S5 was stale at the second check and has published/),
  );
});

it("S6: catches a commit that does not supersede the one before it", () => {
  const loose = confirm("two", one, second, { "perago.supersedes": "" });
  expect(broken({ ...superseded, targets: [target(one, loose)] })).toContain('S6 supersedes ""');
});

describe("S7", () => {
  const branches = [
    ...history().left.branches,
    { repository, name: `perago-stg-${"0".repeat(16)}-task-1-0-aaaaaaaaaaaa` },
  ];

  it("after a sweep catches every staging branch and folder", () => {
    expect(broken(left({ branches }))).toEqual(["S7 is left"]);
    expect(broken(left({ folders: ["execution one"] }))).toEqual(["S7 has left its folder"]);
  });
  it("before a sweep passes only what belongs to a dead host, an unknown merge or a refused cleanup", () => {
    const unswept = left({ folders: ["execution one"], isSwept: { branches: false, folders: false } });
    expect(broken(unswept)).toEqual(["S7 has left its folder"]);
    const died = execution("one", first, { end: "died" });
    expect(broken({ ...unswept, executions: [died] })).toEqual([]);
  });
  it("catches a branch of others that is gone", () => {
    expect(broken(left({ branches: [] }))).toEqual(["S7 is gone, and was not ours"]);
  });
});

describe("S9", () => {
  it("catches a second commit of one delivery", () => {
    const again = confirm("two", one, first);
    expect(broken({ ...superseded, targets: [target(one, again)] })).toContain("S9 is a second commit of its delivery");
  });
  it("catches an older delivery above a completed output", () => {
    const late = confirm("late", two, { taskId: "task-0", scheduledTime: 5000 });
    expect(broken({ ...superseded, targets: [target(one, two, late)] })).toContain(
      "S9 was superseded by an older delivery",
    );
  });
  it("catches an output that was superseded before the engine took it", () => {
    const took = { ...completion("one", first), endTimeMs: 30_000 };
    expect(broken({ ...superseded, completions: [took] })).toContain("S9 was superseded before the engine took it");
  });
});

describe("S10", () => {
  it("catches what does not end", () => {
    expect(broken(left({ unended: ["host h1"] }))).toEqual(["S10 did not end"]);
    expect(broken({ executions: [execution("one", first, { end: "open" })] })).toContain("S10 did not end");
    const workflows = [{ workflowId, repository, branch, status: "RUNNING", tasks: [] }];
    expect(broken({ workflows })).toContain("S10 is RUNNING with 0 open task(s)");
  });
  it("catches a reason that denies what stands on the target", () => {
    const denied = (reason: string): Partial<History> => ({
      completions: [],
      workflows: [],
      executions: [execution("one", first, { reports: [{ status: "FAILED", reason }] })],
    });
    expect(broken(denied("hook_refused: no"))).toContainEqual(expect.stringMatching(/^S10 ended hook_refused though/));
    expect(broken(denied("publish_unknown: nobody knows"))).toEqual([]);
  });
});

it("S11: catches an output that is superseded although nobody has asked for it", () => {
  const both = {
    ...superseded,
    executions: [execution("one", first), execution("two", second)],
    completions: [completion("one", first), completion("two", second)],
    workflows: [],
  };
  expect(broken(both)).toContainEqual(expect.stringMatching(/^S11 was superseded by .* unasked$/));
  expect(broken({ ...both, asked: [{ workflowId, what: "rerun", atMs: 15_000 }] })).toEqual([]);
});

describe("S12", () => {
  const tasks = (pollCount: number, ref: string): Partial<History> => ({
    workflows: [
      {
        workflowId,
        repository,
        branch,
        status: "COMPLETED",
        tasks: [{ ...first, status: "COMPLETED", pollCount, ref }],
      },
    ],
  });

  it("catches a task that an execution of another delivery has ended", () => {
    const old = execution("one", { ...first, scheduledTime: 9000 });
    expect(broken({ executions: [old] })).toContain("S12 no execution of its delivery has reported COMPLETED");
  });
  it("catches a task that another holder has ended, but for an own commit of the delivery", () => {
    expect(broken(tasks(2, START.id))).toContain("S12 another holder has ended COMPLETED");
    expect(broken(tasks(2, one.id))).toEqual([]);
  });
});

describe("S13", () => {
  it("catches a quiet run that does not end COMPLETED", () => {
    expect(broken({ quiet: [trial({})] })).toEqual([]);
    expect(broken({ quiet: [trial({ statusAfter: "FAILED" })] })).toEqual([
      "S13 ended FAILED though nobody disturbed it",
    ]);
  });
  it("catches one that publishes although a foreign commit lies in its range", () => {
    const others = foreign("others", one);
    const range = { targets: [target(one, others)], quiet: [trial({ headBefore: others.id, statusAfter: "FAILED" })] };
    expect(broken(range)).toEqual([]);
    const over = { ...confirm("two", others, second), inside: one.inside };
    const published = broken({ ...range, targets: [target(one, others, over)] });
    expect(published).toContain("S13 has published over a foreign commit");
  });
});

it("S14: catches a commit that has left its target", () => {
  const seenCommits = [{ repository, branch, commit: commitId("gone") }];
  expect(broken({ seenCommits })).toEqual(["S14 has left its target"]);
});
