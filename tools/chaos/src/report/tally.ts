/** What is counted during a run. */
export interface Tally {
  /** A planned fault was struck. `happened` is false where the machine does not allow it, or it came to nothing. */
  struck(kind: string, step: string, name: string, happened: boolean): void;
  outage(server: string, lastedMs: number): void;
  hostEnd(how: string): void;
  read(): Readonly<TallyRead>;
}

/** What was counted. */
export interface TallyRead {
  /** Faults by kind and by the step that they struck at. */
  readonly byStep: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** By the name of the fault: how often it struck, and how often it came to something. */
  readonly faults: ReadonlyMap<string, { readonly struck: number; readonly happened: number }>;
  readonly outages: readonly { readonly server: string; readonly lastedMs: number }[];
  readonly hostEnds: ReadonlyMap<string, number>;
}

/** An empty tally. */
export function createTally(): Tally {
  const byStep = new Map<string, Map<string, number>>();
  const faults = new Map<string, { struck: number; happened: number }>();
  const outages: { server: string; lastedMs: number }[] = [];
  const hostEnds = new Map<string, number>();
  return {
    struck(kind, step, name, happened) {
      const steps = byStep.get(kind) ?? new Map<string, number>();
      byStep.set(kind, steps.set(step, (steps.get(step) ?? 0) + 1));
      const counted = faults.get(name) ?? { struck: 0, happened: 0 };
      faults.set(name, { struck: counted.struck + 1, happened: counted.happened + (happened ? 1 : 0) });
    },
    outage: (server, lastedMs) => void outages.push({ server, lastedMs }),
    hostEnd: (how) => void hostEnds.set(how, (hostEnds.get(how) ?? 0) + 1),
    read: () => ({ byStep, faults, outages, hostEnds }),
  };
}
