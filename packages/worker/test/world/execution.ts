import { logicalTaskKey } from "@perago/fence";
import { driveAttempt, type AttemptPorts } from "../../src/attempt/driver.ts";
import type { AttemptFacts, WorkspaceFacts } from "../../src/attempt/machine/facts.ts";
import type { PhaseName } from "../../src/attempt/machine/order.ts";
import type { Done, Note, Signal } from "../../src/attempt/machine/state.ts";
import type { PolledTask } from "../../src/attempt/ports/attempt-source.ts";
import type { BodyOutcome, Executor } from "../../src/attempt/ports/executor.ts";
import type { Workspace } from "../../src/attempt/ports/workspace.ts";
import { differences, type MemoryLakefs } from "./memory-lakefs.ts";
import type { MemoryConductor } from "./memory-conductor.ts";

export interface World {
  readonly lakefs: MemoryLakefs;
  readonly conductor: MemoryConductor;
}

export type Folder = Map<string, string>;

export interface ExecutionOptions {
  readonly polled?: PolledTask;
  /** Commit id of the input; default the target's head. */
  readonly ref?: string;
  readonly input?: unknown;
  readonly workspace?: WorkspaceFacts | null;
  readonly body?: (folder: Folder) => BodyOutcome | Promise<BodyOutcome> | void;
  readonly pre?: readonly string[];
  readonly post?: readonly string[];
  /** Runs before the phase is performed: where tests strike. */
  readonly before?: Partial<Record<PhaseName, (tell: (signal: Signal) => void) => void>>;
  /** Replaces single port methods. */
  readonly ports?: (ports: AttemptPorts) => Partial<AttemptPorts>;
  readonly facts?: Partial<AttemptFacts>;
}

export interface ExecutionEnd {
  readonly done: Done;
  readonly notes: readonly Note[];
  /** Phases in the order in which they were answered. */
  readonly phases: readonly PhaseName[];
  readonly folder: Folder;
  readonly removed: boolean;
}

const prefix = "data/";
export const returned: BodyOutcome = { kind: "returned", resultJson: '{"rows":1}', sizeBytes: 10 };
let executionCount = 0;

export function inputFor(ref: string): unknown {
  return { workspace: { repository: "repo", branch: "main", refType: "commit", ref }, params: {} };
}

/** Runs one execution of the production driver over the world in memory. */
export async function execute(world: World, options: ExecutionOptions = {}): Promise<ExecutionEnd> {
  const ref = options.ref ?? world.lakefs.head();
  const polled = options.polled ?? world.conductor.poll(options.input ?? inputFor(ref));
  const folder: Folder = new Map();
  const notes: Note[] = [];
  const phases: PhaseName[] = [];
  const ended = { removed: false };
  const told: { tell: (signal: Signal) => void } = { tell: () => undefined };
  let nowMs = 0;
  const base: AttemptPorts = {
    store: world.lakefs.store(),
    source: world.conductor.source(),
    workspace: memoryWorkspace(world.lakefs, folder, options, ended),
    executor: memoryExecutor(folder, options.body),
    lease: {
      deadlineMs: () => nowMs + 600_000,
      extend: () => Promise.resolve(),
      stop: () => Promise.resolve({ unanswered: false }),
    },
    clock: {
      nowMs: () => nowMs,
      wait: (delayMs, signal) => {
        // Only waiting moves this clock; a wait that is ended from outside does not.
        if (signal !== undefined) return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
        nowMs += delayMs;
        return Promise.resolve();
      },
    },
    observer: {
      note: (note) => notes.push(note),
      phase: (name) => phases.push(name),
      unforeseen: (phase, error) => {
        throw new Error(`${phase} failed in a way that was not foreseen`, { cause: error });
      },
    },
  };
  const ports = { ...base, ...options.ports?.(base) };
  const done = await driveAttempt({
    facts: factsFor(polled, options),
    ports: {
      ...ports,
      observer: { ...ports.observer, asking: (name) => options.before?.[name]?.((signal) => told.tell(signal)) },
    },
    cancelGraceMs: 5000,
    subscribe: (listener) => {
      told.tell = listener;
      return () => undefined;
    },
  });
  return { done, notes, phases, folder, removed: ended.removed };
}

function factsFor(polled: PolledTask, options: ExecutionOptions): AttemptFacts {
  const workspace =
    options.workspace === undefined ? { prefix, readOnly: false, hasPostGuardrails: false } : options.workspace;
  executionCount += 1;
  return {
    polled,
    ...(workspace === null ? {} : { workspace }),
    logicalTaskKey: logicalTaskKey(polled),
    executionId: `exec${executionCount}`,
    workerId: "host-a0001",
    writer: "ts/0.0.0",
    bodyTimeoutMs: 0,
    hardFence: "off",
    mergeTimeoutMs: 60_000,
    reportTimeoutMs: 15_000,
    outputLimitBytes: 3_000_000,
    reasonMaxLength: 500,
    ...options.facts,
  };
}

function memoryExecutor(folder: Folder, body: ExecutionOptions["body"]): Executor {
  return {
    validate: () => Promise.resolve({ ok: true }),
    run: async () => (await body?.(folder)) ?? returned,
    cancel: () => undefined,
    seal: () => Promise.resolve(),
    release: () => Promise.resolve(),
  };
}

function memoryWorkspace(
  lakefs: MemoryLakefs,
  folder: Folder,
  options: ExecutionOptions,
  ended: { removed: boolean },
): Workspace {
  const inside = (commitId: string): Map<string, string> =>
    new Map([...lakefs.tree(commitId)].filter(([key]) => key.startsWith(prefix)));
  const toFolder = (commitId: string): ReadonlyMap<string, string | null> => differences(inside(commitId), folder);
  let input = "";
  return {
    syncIn: ({ commitId }) => {
      input = commitId;
      for (const [key, content] of inside(commitId)) folder.set(key, content);
      return Promise.resolve({ path: "/memory", fileCount: folder.size });
    },
    checkPre: () => Promise.resolve(options.pre ?? []),
    project: () => {
      const changes = [...toFolder(input).values()];
      const deleteCount = changes.filter((content) => content === null).length;
      return Promise.resolve({
        unchanged: changes.length === 0,
        fileCount: folder.size,
        uploadCount: changes.length - deleteCount,
        deleteCount,
        violations: options.post ?? [],
      });
    },
    equalsCommit: (commitId) => Promise.resolve(toFolder(commitId).size === 0),
    stage: ({ branch, base }) => {
      const changes = toFolder(base);
      lakefs.put(branch, changes);
      return Promise.resolve({ uploadCount: changes.size, deleteCount: 0 });
    },
    verifyStaging: ({ stagingCommit }) => {
      if (toFolder(stagingCommit).size > 0) throw new Error("the staging commit is not the folder");
      return Promise.resolve();
    },
    remove: () => {
      ended.removed = true;
      return Promise.resolve();
    },
  };
}
