import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { FenceCommit } from "./commit.ts";
import type { PublishDecision, PublishRange, PublishSelf } from "./publish-decision.ts";
import { classifyPublish, MAX_WALKED_COMMITS } from "./publish-fence.ts";

const self: PublishSelf = {
  logicalTaskKey: "wf:build:0:features.build",
  prefix: "data",
  scheduledTime: 50_000,
  taskId: "task-now",
  retryCount: 3,
};

type Metadata = Readonly<Record<string, string>>;

function ownMetadata(index: number): Metadata {
  return {
    "perago.phase": "confirm",
    "perago.logical_task_key": self.logicalTaskKey,
    "perago.prefix": "/data/",
    "perago.task_id": `task-${index}`,
    "perago.retry_count": String(index),
    "perago.scheduled_time": String(1_000 + index),
  };
}

/** A chain over the input ref `c0`; the first entry is the head. */
function chain(metadata: readonly Metadata[]): FenceCommit[] {
  const walked = metadata.map((entry, index) => ({
    id: `c${metadata.length - index}`,
    parents: [`c${metadata.length - index - 1}`],
    metadata: entry,
  }));
  return [...walked, { id: "c0", parents: [], metadata: {} }];
}

function decide(commits: readonly FenceCommit[], more: Partial<PublishRange> = {}): PublishDecision {
  return classifyPublish({ inputRef: "c0", head: commits[0]?.id ?? "", commits, self, hardFence: false, ...more });
}

/** Metadata that no own confirm commit has. */
const foreign: fc.Arbitrary<Metadata> = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.string(), fc.string()),
  fc.string().map((key): Metadata => ({ ...ownMetadata(1), "perago.logical_task_key": `x${key}` })),
  fc.string().map((origin): Metadata => ({ ...ownMetadata(1), "cherry-pick-origin": origin })),
  fc.string().map((phase): Metadata => ({ ...ownMetadata(1), "perago.phase": `x${phase}` })),
  fc.constant({ ...ownMetadata(1), "perago.phase": "try" }),
);
const own = fc.integer({ min: 0, max: 40 }).map(ownMetadata);

describe("rule P2 and rule P3, both directions", () => {
  property.prop([fc.array(own, { minLength: 1, maxLength: 40 })])("rule P2: own older commits are accepted", (list) => {
    const commits = chain(list);
    const head = commits[0]?.id;
    expect(decide(commits)).toEqual({ kind: "publish", rule: "P2", head, supersedes: head, races: [] });
  });

  property.prop([fc.array(own, { maxLength: 20 }), foreign, fc.array(own, { maxLength: 20 }), fc.boolean()])(
    "rule P3: one commit that is not own refuses wherever it stands (rule S3)",
    (above, middle, below, hardFence) => {
      const decision = decide(chain([...above, middle, ...below]), { hardFence });
      const commit = { id: `c${below.length + 1}` };
      expect(decision).toMatchObject({ kind: "refuse", code: "publish_fence", rule: "P3", commit });
    },
  );

  property.prop([fc.array(own, { minLength: 2, maxLength: 30 }), fc.nat()])(
    "rule P3: a chain with one commit missing refuses",
    (list, at) => {
      const commits = chain(list).toSpliced(1 + (at % (list.length - 1)), 1);
      expect(decide(commits)).toMatchObject({ kind: "refuse", rule: "P3", reason: "broken_chain" });
    },
  );

  test("fault D6, rule P2: 1024 walked commits are accepted, 1025 refuse, found or not (case L22)", () => {
    const list = Array.from({ length: MAX_WALKED_COMMITS }, (_, index) => ownMetadata(index));
    expect(decide(chain(list))).toMatchObject({ kind: "publish", rule: "P2" });
    const longer = chain([...list, ownMetadata(0)]);
    expect(decide(longer)).toMatchObject({ kind: "refuse", reason: "too_many_commits" });
    expect(decide(longer.slice(0, -1))).toMatchObject({ kind: "refuse", reason: "too_many_commits" });
  });

  test("case L22: 1000 foreign commits refuse with the newest one named", () => {
    const commits = chain(Array.from({ length: 1000 }, () => ({})));
    expect(decide(commits)).toMatchObject({ reason: "foreign_commit", commit: { id: "c1000" } });
  });

  test("rule P3: an empty head is no commit, also where the input ref is empty", () => {
    expect(decide([], { head: "", inputRef: "" })).toMatchObject({ kind: "refuse", rule: "P3" });
  });
});

describe("rule P7", () => {
  property.prop([fc.array(fc.oneof(own, foreign), { maxLength: 12 }), fc.array(fc.nat()), fc.boolean()])(
    "rule P7: the order of metadata keys never matters",
    (list, keys, hardFence) => {
      const shuffled = list.map((entry) => {
        const entries = Object.entries(entry).toSorted(
          ([left], [right]) => (keys[left.length % keys.length] ?? 0) - (keys[right.length % keys.length] ?? 0),
        );
        return Object.fromEntries(entries.toReversed());
      });
      expect(compact(decide(chain(shuffled), { hardFence }))).toEqual(compact(decide(chain(list), { hardFence })));
    },
  );

  property.prop([
    fc.array(own, { maxLength: 8 }),
    fc.dictionary(
      fc.string().map((key) => `perago.x_${key}`),
      fc.string(),
    ),
  ])("rule P7: unknown keys never matter", (list, extra) => {
    const commits = chain(list.map((entry) => ({ ...extra, ...entry })));
    expect(compact(decide(commits))).toEqual(compact(decide(chain(list))));
  });

  property.prop([fc.array(fc.oneof(own, foreign), { maxLength: 8 }), fc.boolean()])(
    "rule P7: deciding twice over frozen input gives the same, and changes nothing",
    (list, hardFence) => {
      const commits = chain(list).map((commit) => {
        Object.freeze(commit.parents);
        return Object.freeze({ ...commit, metadata: Object.freeze({ ...commit.metadata }) });
      });
      const range = Object.freeze({ hardFence });
      expect(decide(Object.freeze(commits), range)).toEqual(decide(commits, range));
    },
  );

  const knownKey = fc.constantFrom(...Object.keys(ownMetadata(0)), "cherry-pick-origin", "__proto__", "constructor");
  const hostile = fc.array(fc.tuple(knownKey, fc.anything({ withNullPrototype: true })), { maxLength: 9 });

  property.prop([hostile, fc.boolean(), fc.boolean()])(
    "rule P7: no metadata makes it throw, and none but well-formed text is accepted",
    (entries, overOwn, hardFence) => {
      const metadata: Record<string, unknown> = overOwn ? { ...ownMetadata(1) } : {};
      for (const [key, value] of entries) {
        Object.defineProperty(metadata, key, { value, enumerable: true, configurable: true, writable: true });
      }
      const commits = [{ id: "c1", parents: ["c0"], metadata: asServerSent(metadata) }, ...chain([])];
      const decision = decide(commits, { hardFence });
      if (decision.kind !== "refuse") {
        const wanted = ["perago.phase", "perago.logical_task_key", "perago.prefix"];
        for (const key of wanted) expect(typeof metadata[key]).toBe("string");
      }
    },
  );

  test("rule P7: what stands on a prototype is no metadata", () => {
    const inherited = asServerSent(Object.create(ownMetadata(1)));
    const polluted = asServerSent(JSON.parse(`{"__proto__": ${JSON.stringify(ownMetadata(1))}}`));
    for (const metadata of [inherited, polluted]) {
      const decision = decide([{ id: "c1", parents: ["c0"], metadata }, ...chain([])]);
      expect(decision).toMatchObject({ kind: "refuse", reason: "foreign_commit" });
    }
  });
});

describe("rule P8 and rule P9", () => {
  property.prop([fc.nat(), fc.nat()])("rule P8: exactly the later deliveries refuse", (time, now) => {
    const commits = chain([{ ...ownMetadata(1), "perago.scheduled_time": String(time) }]);
    const decision = decide(commits, { self: { ...self, scheduledTime: now } });
    expect(decision.kind).toBe(time > now ? "refuse" : "publish");
    if (decision.kind === "refuse") expect(decision.code).toBe("superseded_by_newer");
  });

  property.prop([fc.array(own, { maxLength: 10 }), fc.array(own, { maxLength: 10 })])(
    "rule P9: the same delivery is found wherever it stands, and is never superseded",
    (above, below) => {
      const mine = {
        ...ownMetadata(1),
        "perago.task_id": self.taskId,
        "perago.retry_count": String(self.retryCount),
        "perago.scheduled_time": String(self.scheduledTime),
      };
      const decision = decide(chain([...above, mine, ...below]));
      const commit = { id: `c${below.length + 1}` };
      expect(decision).toMatchObject({ kind: "own_delivery", rule: "P9", commit, isHead: above.length === 0 });
    },
  );

  test("rule P9: the newest of two commits of the same delivery is named", () => {
    const mine = { ...ownMetadata(3), "perago.task_id": self.taskId, "perago.scheduled_time": "50000" };
    expect(decide(chain([mine, mine]))).toMatchObject({ commit: { id: "c2" }, isHead: true });
  });
});

/** A server may send anything; the type says what it should send. */
function asServerSent(metadata: unknown): Metadata {
  const sent: { metadata: Metadata } = JSON.parse('{"metadata":{}}');
  Reflect.set(sent, "metadata", metadata);
  return sent.metadata;
}

function compact(decision: PublishDecision): unknown {
  return decision.kind === "own_delivery" ? { ...decision, commit: decision.commit.id } : decision;
}
