import type { RunningHost, Settings, TaskDescription } from "@perago/worker";
import { CommandError } from "../command-error.ts";
import { requireConductor, withConductor } from "../connect.ts";
import type { CommandContext } from "../context.ts";
import { hasErrors } from "../findings.ts";
import { launchHost } from "../launch-host.ts";
import { errorText } from "../output/error-text.ts";
import { findingLines, labelled, oneLine } from "../output/finding-lines.ts";
import { readModules } from "../read-modules.ts";
import { compareWithServer } from "../registered.ts";
import { slotsOf } from "../slots.ts";
import { isChanged, writeTaskDefs } from "../write-task-defs.ts";

/** The host of `perago dev`, which follows its modules. */
export interface DevHost {
  /**
   * Reads the modules anew, writes what TaskDefs differ, and puts a new host in the place of the running one, which
   * finishes what runs before. Where the modules have errors these are shown and the running host goes on. Calls during
   * one are done as one more after it.
   */
  reload(): Promise<void>;
  /** Tasks of the host that polls now. */
  tasks(): readonly TaskDescription[];
  /** Finishes what runs and ends; nothing is reloaded from then on. */
  stop(): Promise<void>;
  /** Ends the bodies, too. */
  force(): void;
}

/** What the host of `perago dev` is made of. */
export interface DevHostOptions {
  readonly context: CommandContext;
  readonly modules: readonly string[];
  readonly settings: Settings;
}

/** A host that does not run yet: `reload` starts it. */
export function createDevHost(options: DevHostOptions): DevHost {
  return new FollowingHost(options);
}

class FollowingHost implements DevHost {
  readonly #options: DevHostOptions;
  #host: RunningHost | undefined;
  #tasks: readonly TaskDescription[] = [];
  #current: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopping = false;

  constructor(options: DevHostOptions) {
    this.#options = options;
  }

  tasks(): readonly TaskDescription[] {
    return this.#tasks;
  }

  reload(): Promise<void> {
    if (this.#current !== undefined) {
      this.#isAskedAgain = true;
      return this.#current;
    }
    this.#current = this.#reloadAll().finally(() => (this.#current = undefined));
    return this.#current;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#host?.drain();
    await this.#current;
    await this.#end();
  }

  force(): void {
    this.#host?.force();
  }

  async #reloadAll(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#reloadOnce();
    } while (this.#isAskedAgain && !this.#isStopping);
  }

  async #reloadOnce(): Promise<void> {
    const { stderr } = this.#options.context;
    try {
      const tasks = await this.#readTasks();
      if (tasks === undefined || this.#isStopping) return;
      await this.#end();
      await this.#register(tasks);
      if (this.#isStopping) return;
      await this.#launch(tasks);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      stderr.write(errorText(stderr, error, false));
      stderr.write(labelled(stderr, "warning", "no task is polled until the next change"));
    }
  }

  async #readTasks(): Promise<readonly TaskDescription[] | undefined> {
    const { context, modules } = this.#options;
    const { stderr } = context;
    const { tasks, findings } = await readModules(context, modules);
    for (const finding of findings) stderr.write(findingLines(stderr, finding));
    if (!hasErrors(findings)) return tasks;
    const what = this.#host === undefined ? "no task is polled" : "what is loaded goes on";
    stderr.write(labelled(stderr, "error", `the modules have errors; ${what} until they are corrected`));
    return undefined;
  }

  async #register(tasks: readonly TaskDescription[]): Promise<void> {
    const { context, settings } = this.#options;
    await withConductor(requireConductor(settings), async (client) => {
      const compared = await compareWithServer(
        client,
        tasks.map(({ taskDef }) => taskDef),
      );
      const changed = compared.filter(isChanged);
      if (changed.length === 0) return;
      await writeTaskDefs(client, changed);
      const names = changed.map(({ name }) => oneLine(name)).join(", ");
      context.stderr.write(labelled(context.stderr, "ok", `registered ${names}`));
    });
  }

  async #launch(tasks: readonly TaskDescription[]): Promise<void> {
    const { context, modules, settings } = this.#options;
    const { environment, folder, stderr } = context;
    this.#host = await launchHost(
      { settings, tasks, environment, show: { bodies: true } },
      { folder, modules: [...modules] },
    );
    this.#tasks = tasks;
    const list = tasks.map(({ name }) => `${oneLine(name)} x${slotsOf(settings, name)}`).join(", ");
    stderr.write(labelled(stderr, "ok", `polls for ${list}`));
    if (this.#isStopping) this.#host.drain();
  }

  async #end(): Promise<void> {
    const host = this.#host;
    if (host === undefined) return;
    host.drain();
    await host.ended;
    this.#host = undefined;
    this.#tasks = [];
  }
}
