import type { BodyOutcome } from "../attempt/ports/executor.ts";
import type { ChildOutcome } from "./messages.ts";

/** An executor's word about its body, as far as the host believes it: no size, and no JSON unread (rule I3). */
export function checkOutcome(outcome: ChildOutcome, limitBytes: number, clean: (text: string) => string): BodyOutcome {
  switch (outcome.kind) {
    case "returned": {
      const sizeBytes = Buffer.byteLength(outcome.resultJson);
      if (sizeBytes > limitBytes) return { kind: "output_too_large", sizeBytes, limitBytes };
      if (!isJsonObject(outcome.resultJson)) return { kind: "output_invalid", message: "the result is no JSON object" };
      return { kind: "returned", resultJson: outcome.resultJson, sizeBytes };
    }
    case "output_too_large":
      return outcome;
    default:
      return { kind: outcome.kind, message: clean(outcome.message) };
  }
}

function isJsonObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
