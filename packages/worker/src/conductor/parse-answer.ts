import { unreadable } from "./classify.ts";
import type { ConductorHttp } from "./http.ts";

/** Parses an answer's JSON text; throws `conductor_unreadable`. */
export function parseAnswer(http: ConductorHttp, what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(what, http.origin, text);
  }
}
