import type { Fault, Meddling, Moment, Strike } from "./fault.ts";
import type { RequestKind } from "./requests.ts";

const before = (phase: string): Moment => ({ phase, side: "before" });
const after = (phase: string): Moment => ({ phase, side: "after" });

/** Which rows of the table of faults, and which cases, it shows. */
type Titled = Pick<Fault, "title">;

function kills({ title }: Titled, moments: readonly Moment[]): Fault[] {
  return moments.map((moment) => ({ title, strike: { do: "kill_host" }, at: moment }));
}

function at({ title }: Titled, strike: Strike, ...moments: readonly Moment[]): Fault[] {
  return moments.map((moment) => ({ title, strike, at: moment }));
}

function meddled(
  { title }: Titled,
  request: RequestKind,
  moment: Moment,
  ...hows: readonly (Meddling | [Meddling, number])[]
): Fault[] {
  return hows.map((each) => {
    const [how, times] = Array.isArray(each) ? each : [each, 1];
    return { title, strike: { do: "meddle", request, how, times }, at: moment };
  });
}

const lakefs = (downMs: number): Strike => ({ do: "kill_server", server: "lakefs", downMs });
const conductor = (downMs: number): Strike => ({ do: "kill_server", server: "conductor", downMs });

/**
 * All kinds of trouble. Those of a list stand for each other in a short run: at least one of each list strikes before
 * the second of any does.
 */
export const CATALOG = {
  hostKills: [
    ...kills({ title: "fault A1" }, [
      before("validate"),
      before("syncIn"),
      after("syncIn"),
      after("run"),
      after("project"),
    ]),
    ...kills({ title: "fault A2" }, [after("createStaging"), before("stage"), after("stage"), before("commitStaging")]),
    ...kills({ title: "fault A3" }, [
      after("commitStaging"),
      after("verifyStaging"),
      after("pinHead"),
      after("recheckAttempt"),
    ]),
    ...kills({ title: "fault A4" }, [before("merge")]),
    ...kills({ title: "fault A5" }, [
      after("merge"),
      after("readPublished"),
      before("readForReport"),
      before("report"),
    ]),
    ...kills({ title: "fault A6" }, [after("report"), before("readBack")]),
    ...kills({ title: "fault A7" }, [before("deleteStaging"), after("deleteStaging"), before("removeFolder")]),
  ],
  killsOnTheWire: [
    ...at({ title: "fault A4" }, { do: "kill_host_at", request: "merge" }, before("merge")),
    ...at({ title: "fault A1" }, { do: "kill_host_at", request: "download" }, before("syncIn")),
    ...at({ title: "fault A2" }, { do: "kill_host_at", request: "upload" }, before("stage")),
    ...at({ title: "fault A2" }, { do: "kill_host_at", request: "create_staging" }, before("createStaging")),
    ...at({ title: "fault A3" }, { do: "kill_host_at", request: "commit_staging" }, before("commitStaging")),
    ...at({ title: "fault A6" }, { do: "kill_host_at", request: "report" }, before("report")),
    ...at({ title: "fault A7" }, { do: "kill_host_at", request: "delete_staging" }, before("deleteStaging")),
  ],
  killsInBody: [
    ...at({ title: "fault H4" }, { do: "kill_executor" }, before("run")),
    ...at({ title: "fault A8, case S06" }, { do: "kill_host_in_body" }, before("run")),
  ],
  lakefsKills: [
    ...at({ title: "fault E6, fault A1" }, lakefs(300), before("syncIn"), before("stage")),
    ...at({ title: "fault E6, fault B2" }, lakefs(300), before("merge")),
    ...at({ title: "fault E6, fault B1" }, lakefs(300), after("merge")),
    ...at({ title: "fault E6, fault A7" }, lakefs(300), before("deleteStaging")),
    ...at({ title: "fault E6" }, lakefs(4000), before("createStaging"), before("pinHead")),
  ],
  conductorKills: [
    ...at(
      { title: "case S07, fault E6" },
      conductor(0),
      before("merge"),
      before("run"),
      before("report"),
      before("pinHead"),
    ),
    ...at({ title: "case S07, fault E6" }, conductor(0), before("syncIn"), before("stage"), before("checkAttempt")),
    ...at({ title: "case R13, fault E6" }, conductor(5000), after("merge")),
    ...at({ title: "case S07, fault B10" }, conductor(0), after("report"), before("recheckAttempt")),
  ],
  stalls: [
    ...at({ title: "fault C1, case R01" }, { do: "stall", until: "published" }, before("merge")),
    ...at({ title: "fault C1" }, { do: "stall", until: "timed_out" }, before("merge")),
    ...at({ title: "fault C3" }, { do: "stall", until: "published" }, after("pinHead"), before("pinHead")),
    ...at({ title: "fault C9, case R01" }, { do: "stall", until: "published" }, after("run"), before("createStaging")),
    ...at({ title: "fault C13, fault B11" }, { do: "stall", until: "published" }, before("report")),
    ...at({ title: "fault C13" }, { do: "stall", until: "timed_out" }, after("merge"), after("readForReport")),
  ],
  mergeAnswers: [
    ...meddled({ title: "fault B1" }, "merge", before("merge"), "drop_answer"),
    ...meddled({ title: "fault B2" }, "merge", before("merge"), "drop_request"),
    ...meddled({ title: "fault B3" }, "merge", before("merge"), "late"),
    ...meddled({ title: "fault B4" }, "merge", before("merge"), "repeat"),
    ...meddled(
      { title: "fault B5" },
      "merge",
      before("merge"),
      { heard: 500 },
      { heard: 502 },
      { heard: 503 },
      { heard: 504 },
    ),
    ...meddled({ title: "fault B5" }, "merge", before("merge"), { heard: 499 }, { answered: 500 }, { answered: 503 }),
    ...meddled(
      { title: "fault E4" },
      "merge",
      before("merge"),
      [{ answered: 429 }, 2],
      { answered: 423 },
      { answered: 429 },
    ),
    ...meddled({ title: "fault E4, fault B4" }, "merge", before("merge"), { heard: 429 }),
    ...meddled({ title: "fault E7" }, "merge", before("merge"), "cut_answer", "html"),
  ],
  stagingAnswers: [
    ...meddled(
      { title: "fault B8" },
      "commit_staging",
      before("commitStaging"),
      "drop_answer",
      { heard: 503 },
      "cut_answer",
    ),
    ...meddled(
      { title: "fault B9" },
      "create_staging",
      before("createStaging"),
      "drop_answer",
      { heard: 503 },
      "drop_request",
    ),
    ...meddled(
      { title: "fault E7" },
      "upload",
      before("stage"),
      "drop_answer",
      "drop_request",
      { answered: 503 },
      "html",
    ),
    ...meddled({ title: "fault E7, fault G7" }, "download", before("syncIn"), "cut_answer", "drop_answer", {
      answered: 503,
    }),
    ...at({ title: "fault B6" }, { do: "lose_merge", how: "drop_request", times: 6 }, before("merge")),
    ...at({ title: "fault B6" }, { do: "lose_merge", how: "html", times: 3 }, before("merge")),
    ...meddled({ title: "fault B6" }, "read_log", before("pinHead"), "cut_answer", "html", ["drop_answer", 6]),
    ...meddled({ title: "fault A7" }, "delete_staging", before("deleteStaging"), [{ answered: 503 }, 8], "drop_answer"),
  ],
  reportAnswers: [
    ...meddled(
      { title: "fault B10" },
      "report",
      before("report"),
      "drop_answer",
      "drop_request",
      { heard: 503 },
      "cut_answer",
    ),
    ...meddled({ title: "fault E5" }, "report", before("report"), { answered: 500 }, [{ answered: 429 }, 2], {
      answered: 409,
    }),
    ...meddled({ title: "fault B6, fault E5" }, "read_task", before("recheckAttempt"), "drop_request", "html", [
      "cut_answer",
      3,
    ]),
    ...meddled({ title: "fault E5" }, "read_task", before("readForReport"), ["drop_answer", 2], { answered: 503 }),
    ...meddled({ title: "fault C7" }, "heartbeat", before("run"), ["drop_answer", 3], ["drop_request", 9]),
    ...meddled({ title: "fault E8" }, "poll", before("validate"), ["drop_answer", 4]),
  ],
  fullDisks: at({ title: "fault G1" }, { do: "fill_disk" }, before("syncIn"), before("run"), before("project")),
  foreignCommits: [
    ...at(
      { title: "fault D1" },
      { do: "foreign_commit", where: "inside" },
      after("pinHead"),
      before("merge"),
      before("run"),
    ),
    ...at({ title: "fault D2" }, { do: "foreign_commit", where: "outside" }, before("merge"), after("fenceBase")),
    ...at({ title: "fault D1" }, { do: "foreign_commit", where: "inside" }, after("merge")),
  ],
  redeliveries: at(
    { title: "fault C5, case R02" },
    { do: "redeliver" },
    before("run"),
    before("pinHead"),
    before("merge"),
  ),
  terminations: at(
    { title: "fault C10" },
    { do: "terminate" },
    before("run"),
    before("recheckAttempt"),
    before("report"),
  ),
  partitions: [
    ...at(
      { title: "fault E6" },
      { do: "cut_off", servers: "lakefs", ms: 3000 },
      before("stage"),
      before("merge"),
      after("merge"),
    ),
    ...at({ title: "fault E6" }, { do: "cut_off", servers: "conductor", ms: 8000 }, before("run"), after("merge")),
    ...at(
      { title: "fault E6" },
      { do: "cut_off", servers: "both", ms: 8000 },
      before("merge"),
      before("readForReport"),
    ),
  ],
  drains: at({ title: "fault H1" }, { do: "drain" }, before("run"), before("stage"), before("merge"), before("report")),
} satisfies Readonly<Record<string, readonly Fault[]>>;
