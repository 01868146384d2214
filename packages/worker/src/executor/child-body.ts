import {
  checkOutput,
  isTaskFailed,
  isTaskTerminalError,
  type AnyTaskDefinition,
  type Finding,
  type Workspace,
} from "@perago/taskdef";
import type { BodyRequest } from "../attempt/ports/executor.ts";
import { cut, cutAny } from "../telemetry/line.ts";
import { describeThrown } from "./child-channel.ts";
import type { BodyServices } from "./child-services.ts";
import { MAX_TEXT_LENGTH } from "./limits.ts";
import type { ChildOutcome } from "./messages.ts";

// Taken before a module can replace them (fault J7).
const { freeze } = Object;
const { stringify } = JSON;
const byteLength = Buffer.byteLength.bind(Buffer);

/** One call of a task's body. */
export interface BodyCall {
  readonly task: AnyTaskDefinition;
  readonly params: Record<string, unknown>;
  readonly request: BodyRequest;
  readonly outputLimitBytes: number;
  readonly signal: AbortSignal;
  readonly services: BodyServices;
}

/** Runs the body and checks what it returned (rule I3, cases J05 and J07); a throw is an outcome (case P03). */
export async function runBody(call: BodyCall): Promise<ChildOutcome> {
  const { task, params, request, signal, services } = call;
  const workspace: { workspace?: Workspace } =
    request.workspace === undefined ? {} : { workspace: freeze({ ...request.workspace }) };
  let value: unknown;
  try {
    value = await task.run({
      ...workspace,
      params,
      signal,
      ...services,
      attempt: freeze({ ...request.attempt }),
    });
  } catch (thrown) {
    return thrownOutcome(thrown);
  }
  const checked = await checkOutput(task, value);
  if (!checked.ok) return { kind: "output_invalid", message: findingsText(checked.findings) };
  const resultJson = stringify(checked.value);
  const sizeBytes = byteLength(resultJson);
  if (sizeBytes > call.outputLimitBytes) {
    return { kind: "output_too_large", sizeBytes, limitBytes: call.outputLimitBytes };
  }
  return { kind: "returned", resultJson, sizeBytes };
}

/** By brand, not by class: another copy's terminal error stays terminal (case P03). */
function thrownOutcome(thrown: unknown): ChildOutcome {
  if (isTaskTerminalError(thrown)) return { kind: "terminal", message: cutAny(thrown.message, MAX_TEXT_LENGTH) };
  if (isTaskFailed(thrown)) return { kind: "failed", message: cutAny(thrown.message, MAX_TEXT_LENGTH) };
  return { kind: "failed", message: describeThrown(thrown) };
}

/** All findings as one text, each with its mend. */
export function findingsText(findings: readonly Finding[]): string {
  return cut(findings.map(({ message, hint }) => `${message}. ${hint}`).join(" "), MAX_TEXT_LENGTH);
}
