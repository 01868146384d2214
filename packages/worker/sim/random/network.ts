import type { Fate, RequestKind } from "./fate.ts";
import type { Run, SimWorld } from "./world.ts";

/** One request of an execution, as the simulated network carries it. */
export interface Carried<T> {
  readonly kind: RequestKind;
  readonly name: string;
  /** What the server does first, where it takes `takesMs` between reading and writing. */
  readonly begin?: () => void;
  readonly takesMs?: number;
  /** What the server does; it may throw what the server answers. */
  readonly effect: () => T;
  /** What the client throws when it has no answer; `landed` says whether the request may still be performed. */
  readonly noAnswer: (landed: boolean) => Error;
  /** The client gives up after this. */
  readonly timeoutMs: number;
}

/** Never answers: the process is dead. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** Counts the requests of one execution, so that each has a name of its own. */
export class Network {
  readonly #world: SimWorld;
  readonly #run: Run;
  readonly #counts = new Map<string, number>();

  constructor(world: SimWorld, run: Run) {
    this.#world = world;
    this.#run = run;
  }

  /** The fate of the next request of that name. */
  fate(kind: RequestKind, name: string): { readonly fate: Fate; readonly name: string } {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const full = `${this.#run.name} ${name} ${count}`;
    return { fate: this.#world.fates.of(kind, full), name: full };
  }

  /** Carries one request there and its answer back. */
  async carry<T>(request: Carried<T>): Promise<T> {
    const { fate, name } = this.fate(request.kind, request.name);
    if (fate.trouble !== "none") this.#world.tell(`${name} ${fate.trouble}`);
    return await this.under(fate, request);
  }

  /** The same under a fate that is known already. */
  async under<T>(fate: Fate, request: Carried<T>): Promise<T> {
    const { scheduler } = this.#world;
    const { trouble, longMs } = fate;
    await this.#beforeSending(fate);
    if (trouble === "dies_after" || trouble === "late") {
      if (request.begin !== undefined) scheduler.after(fate.thereMs, request.begin);
      scheduler.after(longMs, () => quietly(request.effect));
    }
    if (trouble === "dies_after") return await this.#die();
    const arrivesMs = trouble === "slow" ? longMs : fate.thereMs;
    const thereMs = arrivesMs + (request.takesMs ?? 0);
    const backMs = trouble === "slow_answer" ? longMs : fate.backMs;
    const lost = trouble === "lost" || trouble === "late";
    if (!lost && request.begin !== undefined) scheduler.after(arrivesMs, request.begin);
    if (lost) return await this.#givenUp(fate.thereMs, request, trouble === "late");
    const answer = new Promise<T>((resolve, reject) => {
      scheduler.after(thereMs, () => {
        if (trouble === "copied") scheduler.after(longMs, () => quietly(request.effect));
        const performed = outcomeOf(request.effect);
        scheduler.after(backMs, () => (performed.ok ? resolve(performed.value) : reject(performed.error)));
      });
    });
    if (trouble === "answer_lost") return await this.#givenUp(thereMs + fate.backMs, request, true, answer);
    if (thereMs + backMs > request.timeoutMs) return await this.#givenUp(request.timeoutMs, request, true, answer);
    const value = await answer;
    return await this.#afterAnswer(() => value);
  }

  async #beforeSending({ trouble, longMs }: Fate): Promise<void> {
    const { scheduler } = this.#world;
    if (trouble === "dies") await this.#die();
    if (trouble === "stalls") this.#run.stalledUntilMs = scheduler.nowMs + longMs;
    await this.standStill();
  }

  async #givenUp<T>(delayMs: number, request: Carried<T>, landed: boolean, answer?: Promise<T>): Promise<T> {
    // What comes after the client has gone is nobody's any more.
    answer?.catch(() => undefined);
    await this.#world.scheduler.wait(delayMs);
    return await this.#afterAnswer(() => {
      throw request.noAnswer(landed);
    });
  }

  async #afterAnswer<T>(give: () => T): Promise<T> {
    await this.standStill();
    return give();
  }

  /** A process that stands still goes on when it is let; a dead one never does. */
  async standStill(): Promise<void> {
    const { scheduler } = this.#world;
    if (this.#run.isDead) await never();
    const restMs = this.#run.stalledUntilMs - scheduler.nowMs;
    if (restMs > 0) await scheduler.wait(restMs);
    if (this.#run.isDead) await never();
  }

  async #die<T>(): Promise<T> {
    this.#run.isDead = true;
    this.#run.end = "crashed";
    this.#world.tell(`${this.#run.name} dies`);
    return await never();
  }
}

type Performed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

function outcomeOf<T>(effect: () => T): Performed<T> {
  try {
    return { ok: true, value: effect() };
  } catch (error) {
    return { ok: false, error };
  }
}

function quietly(effect: () => unknown): void {
  outcomeOf(effect);
}
