import { SyncError } from "../errors.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { Projection } from "./project.ts";
import type { Staged } from "./stage.ts";

/** What the sync worker knows of one folder, from sync-in to release. */
export interface WorkspaceRecord {
  readonly snapshot: Snapshot;
  projection?: Projection;
  staged?: Staged;
}

/** Folders that one worker holds at a time: far above any host's slots, so that a leak is an error. */
const maxWorkspaceCount = 1024;
const idsPerGeneration = 1_000_000_000;

/**
 * The snapshots of a sync worker. They live in its memory: a file beside the folder could be changed by the task's
 * body, and would have to be written and parsed again at every step. A worker that dies takes them along; its attempts
 * then fail.
 */
export class WorkspaceTable {
  readonly #records = new Map<number, WorkspaceRecord>();
  #lastId: number;

  constructor(generation: number) {
    this.#lastId = generation * idsPerGeneration;
  }

  add(snapshot: Snapshot): number {
    if (this.#records.size >= maxWorkspaceCount) throw new Error("workspaces are not released");
    this.#lastId += 1;
    this.#records.set(this.#lastId, { snapshot });
    return this.#lastId;
  }

  get(workspaceId: number): WorkspaceRecord {
    const record = this.#records.get(workspaceId);
    if (record === undefined) {
      throw new SyncError("sync_worker_lost", `the snapshot ${workspaceId} is gone: released, or lost with its thread`);
    }
    return record;
  }

  projected(workspaceId: number): WorkspaceRecord & { projection: Projection } {
    const record = this.get(workspaceId);
    const { projection } = record;
    if (projection === undefined) throw new Error(`workspace ${workspaceId} is not projected yet`);
    return { ...record, projection };
  }

  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  release(workspaceId: number): void {
    this.#records.delete(workspaceId);
  }
}
