import type { BodyOutcome } from "../ports/executor.ts";
import { completed, end, fail, failure, inputRefused, outputJson } from "./ending.ts";
import { enterSeal } from "./staging.ts";
import type { Common, Decision, Knows, Outcome, Phase, Returned, Signal } from "./state.ts";

/** The body starts only while nobody has asked for a stop. */
export function enterBody(state: Knows["run"]): Decision {
  if (state.signal !== undefined) return end(state, stopped(state, state.signal));
  return { next: { ...state, phase: "run" } };
}

/** The one phase in which user code runs. */
export const run: Phase<"run"> = {
  ask({ facts, input, path }) {
    const { polled, workspace, bodyTimeoutMs } = facts;
    const { workflowInstanceId, taskId, retryCount, taskDefName, referenceTaskName, iteration } = polled;
    const attempt = { workflowInstanceId, taskId, retryCount, taskDefName, referenceTaskName, iteration };
    return {
      executionId: facts.executionId,
      // Rule I3: without a workspace nothing lies between validation and body, and one question is enough.
      ...(input === undefined ? { inputData: polled.inputData } : {}),
      attempt: { ...attempt, workerId: facts.workerId, ...(input ? { inputRef: input.ref } : {}) },
      ...(bodyTimeoutMs > 0 ? { endAtMs: polled.pollSentAtMs + bodyTimeoutMs } : {}),
      ...(input !== undefined && path !== undefined && workspace !== undefined
        ? { workspace: { ...input, path, prefix: workspace.prefix, readOnly: workspace.readOnly } }
        : {}),
    };
  },
  answered: (state, body) => enterSeal({ ...state, body: bodyResult(state, body) }),
  refused: (state, why) => ({ next: { ...state, phase: "seal", body: { outcome: { kind: "failed", failure: why } } } }),
};

/** Rule T8: nothing that the body left behind may write any more, whatever the body said. */
export const seal: Phase<"seal"> = {
  ask: () => ({}),
  answered(state) {
    if ("outcome" in state.body) return end(state, state.body.outcome);
    const returned: Returned = { ...state, resultJson: state.body.resultJson };
    const { input, path, facts } = returned;
    if (input === undefined || path === undefined) {
      return end(state, { kind: "completed", by: "workspace_free", outputJson: outputJson(returned.resultJson) });
    }
    // Rule R1: what a read-only body wrote is discarded; it is looked at only where a post guardrail wants to.
    if (facts.workspace?.readOnly === true && !facts.workspace.hasPostGuardrails) {
      return end(state, completed({ ...returned, input }, "read_only", input.ref));
    }
    return { next: { ...returned, phase: "project", input, path } };
  },
};

/** Rule T3: the post guardrails judge exactly the bytes that are staged. */
export const project: Phase<"project"> = {
  ask: () => ({}),
  answered(state, projection) {
    if (projection.violations.length > 0) {
      const hint = "nothing was published; mend the task or its data, the engine retries";
      return fail(state, failure("guardrail_post", projection.violations.join("; "), hint));
    }
    if (state.facts.workspace?.readOnly === true) return end(state, completed(state, "read_only", state.input.ref));
    return { next: { ...state, phase: "checkAttempt", projection } };
  },
};

function bodyResult(state: Knows["run"], body: BodyOutcome): Knows["seal"]["body"] {
  if (state.signal !== undefined) return { outcome: stopped(state, state.signal) };
  if (body.kind === "returned") {
    const sizeBytes = body.sizeBytes + Buffer.byteLength(outputJson("", state.input));
    const limitBytes = state.facts.outputLimitBytes;
    return sizeBytes <= limitBytes ? { resultJson: body.resultJson } : { outcome: tooLarge(sizeBytes, limitBytes) };
  }
  return { outcome: bodyFailure(state, body) };
}

function bodyFailure({ facts }: Common, body: Exclude<BodyOutcome, { kind: "returned" }>): Outcome {
  const name = facts.polled.taskDefName;
  switch (body.kind) {
    case "input_invalid":
      return { kind: "failed", failure: inputRefused(body.message) };
    case "failed":
      return failed("body_failed", body.message, `${name} threw; the engine retries as its definition says`);
    case "terminal":
      return failed("body_terminal", body.message, `${name} refused for good; the engine does not retry`);
    case "output_invalid":
      return failed(
        "output_invalid",
        body.message,
        `${name} must return what its output schema declares, as plain JSON`,
      );
    case "output_too_large":
      return tooLarge(body.sizeBytes, body.limitBytes);
    case "lost":
      // Rule R5: an exit without a result message is a failure, whatever the exit code.
      return failed("executor_lost", body.message, "see the worker's log; the engine retries");
  }
}

function tooLarge(sizeBytes: number, limitBytes: number): Outcome {
  const message = `the output has ${sizeBytes} bytes, more than ${limitBytes}`;
  return failed(
    "output_too_large",
    message,
    "write large results into the workspace and return where they are (rule I3)",
  );
}

/** How a signal ends a body, by whatever way the body itself ended (rules A4, A5). */
function stopped({ facts }: Common, signal: Signal): Outcome {
  switch (signal.kind) {
    case "attempt_lost":
      return failed(
        "attempt_stale",
        signal.reason,
        "the engine has ended or replaced this attempt; nothing was published",
      );
    case "body_timeout":
      return failed(
        "body_timeout",
        signal.reason,
        `raise controls.timeout.seconds (it is ${facts.bodyTimeoutMs / 1000}) or make the body faster`,
      );
    case "shutdown":
      return failed("executor_lost", signal.reason, "the host was told to stop; the engine retries elsewhere");
  }
}

function failed(code: Parameters<typeof failure>[0], message: string, hint: string): Outcome {
  return { kind: "failed", failure: failure(code, message, hint) };
}
