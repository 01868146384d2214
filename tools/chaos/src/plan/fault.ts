import type { RequestKind } from "./requests.ts";

/** Before or after a step of an attempt. */
export interface Moment {
  /** A phase of the machine. */
  readonly phase: string;
  readonly side: "before" | "after";
}

/** What is done to a request on its way; `late` waits until the next attempt has published, or 9 s. */
export type Meddling =
  | "drop_request"
  | "drop_answer"
  | "late"
  | "repeat"
  | "cut_answer"
  | "html"
  /** The server performs it and this status is heard. */
  | { readonly heard: number }
  /** The server never gets it. */
  | { readonly answered: number };

/** What strikes. */
export type Strike =
  | { readonly do: "kill_host" }
  /** When the server has answered a request of this kind, and before the host hears it. */
  | { readonly do: "kill_host_at"; readonly request: RequestKind }
  | { readonly do: "kill_executor" }
  /** While the body runs; its executor must end by itself. */
  | { readonly do: "kill_host_in_body" }
  /** Down for `downMs`, then started again on its data. */
  | { readonly do: "kill_server"; readonly server: "lakefs" | "conductor"; readonly downMs: number }
  /** SIGSTOP past the response timeout, with forced decisions; `published`: until the next attempt has published. */
  | { readonly do: "stall"; readonly until: "timed_out" | "published" }
  | { readonly do: "meddle"; readonly request: RequestKind; readonly how: Meddling; readonly times: number }
  /** The answer to the merge is lost, and the reads of the target that follow go wrong. */
  | { readonly do: "lose_merge"; readonly how: Meddling; readonly times: number }
  | { readonly do: "fill_disk" }
  | { readonly do: "foreign_commit"; readonly where: "inside" | "outside" }
  /** The engine hands the same delivery out again. */
  | { readonly do: "redeliver" }
  | { readonly do: "terminate" }
  | { readonly do: "cut_off"; readonly servers: "lakefs" | "conductor" | "both"; readonly ms: number }
  /** SIGTERM. */
  | { readonly do: "drain" };

/** One kind of trouble: a row of the table of faults, struck at one moment of an attempt. */
export interface Fault {
  /** `fault A4` and so on: the rows of the table that it shows, cases too. */
  readonly title: string;
  readonly strike: Strike;
  readonly at: Moment;
}

/** Whether the body has to wait for it. */
export function strikesInBody({ strike }: Fault): boolean {
  return strike.do === "kill_executor" || strike.do === "kill_host_in_body";
}

/** A short name for lists. */
export function faultName({ title, strike, at }: Fault): string {
  return `${title}: ${strikeName(strike)} ${at.side} ${at.phase}`;
}

/** What strikes, in words. */
export function strikeName(strike: Strike): string {
  switch (strike.do) {
    case "kill_host_at":
      return `kill host at the answer to ${strike.request}`;
    case "kill_server":
      return `kill ${strike.server}`;
    case "stall":
      return `stall until ${strike.until}`;
    case "meddle":
      return `${meddlingName(strike.how)} ${strike.request}${strike.times > 1 ? ` x${strike.times}` : ""}`;
    case "lose_merge":
      return `drop answer merge, ${meddlingName(strike.how)} read_branch x${strike.times}`;
    case "foreign_commit":
      return `foreign commit ${strike.where} the prefix`;
    case "cut_off":
      return `cut off ${strike.servers} for ${strike.ms} ms`;
    default:
      return strike.do.replaceAll("_", " ");
  }
}

function meddlingName(how: Meddling): string {
  if (typeof how === "string") return how.replaceAll("_", " ");
  return "heard" in how ? `${how.heard} heard of` : `${how.answered} in place of`;
}
