import { describe, expect, it } from "vitest";
import type { Measurement } from "../src/measurement.ts";
import type { Samples } from "../src/row.ts";
import { eventLoop } from "../src/rows/event-loop.ts";
import { requests } from "../src/rows/requests.ts";
import { smallFile } from "../src/rows/small-file.ts";
import { thousandFiles } from "../src/rows/thousand-files.ts";
import { openSession } from "../src/world/session.ts";

/**
 * What a clear regression is: ratios of two things measured by turns in the same run, each at its best, since a busy
 * machine only adds. The margin over the targets of the table is for such a machine and a short run.
 */
const B1_RATIO = 2;
const B2_RATIO = 1;
const B5_RATIO = 4.5;
/** Of the times between two samples of an event loop: the delay, and the 20 ms that were asked for. */
const B7_RATIO = 4;
const B7_SAMPLE_MS = 20;

const TIMEOUT_MS = 240_000;

describe("the bench, in short", () => {
  it(
    "bench B1, bench B2: a cold and a warm attempt on 1,000 files, against lakectl",
    async () => {
      const { B1, B2 } = await measured(thousandFiles);
      expect.soft(bestRatio(B1), shown(B1)).toBeLessThan(B1_RATIO);
      expect.soft(bestRatio(B2), shown(B2)).toBeLessThan(B2_RATIO);
    },
    TIMEOUT_MS,
  );

  it(
    "bench B5: an attempt on one small file, against the requests it cannot avoid",
    async () => {
      const { B5 } = await measured(smallFile);
      expect(bestRatio(B5), shown(B5)).toBeLessThan(B5_RATIO);
    },
    TIMEOUT_MS,
  );

  it(
    "bench B7: the host's event loop while 4 slots sync, against that of an idle process",
    async () => {
      const { B7 } = await measured(eventLoop);
      expect(bestRatio(B7, B7_SAMPLE_MS), shown(B7)).toBeLessThan(B7_RATIO);
    },
    TIMEOUT_MS,
  );

  it(
    "bench B9: one changed file of many is one upload, and no request more than its listing needs",
    async () => {
      const { B9, "B9/requests": asked } = await measured(requests);
      expect(B9?.ours, shown(B9)).toEqual([1]);
      expect(bestRatio(asked), shown(asked)).toBeLessThanOrEqual(1);
    },
    TIMEOUT_MS,
  );
});

async function measured(measurement: Measurement): Promise<Readonly<Record<string, Samples>>> {
  await using session = await openSession();
  return await measurement.measure({ session, quick: true, say: () => {} });
}

/** Our best run against the peer's best; NaN, which no bound lets pass, where something was not measured. */
function bestRatio(samples: Samples | undefined, plus = 0): number {
  if (samples === undefined || samples.ours.length === 0 || samples.other.length === 0) return Number.NaN;
  return (Math.min(...samples.ours) + plus) / (Math.min(...samples.other) + plus);
}

function shown(samples: Samples | undefined): string {
  return JSON.stringify(samples);
}
