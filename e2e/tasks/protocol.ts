import { defineTask, requireFile } from "@perago/taskdef";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

const ownerEmail = "e2e@example.com";
/** Retries come at once, so that the tests are short. */
const retry = { count: 2, logic: "FIXED", delaySeconds: 0 } as const;
/** Three heartbeats in a lease of 3 s. */
const lease = { policy: "RETRY", responseSeconds: 3 } as const;

/** Writes below `/work`. */
export const files = defineTask({
  name: named("files"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});

/** Another step with the same prefix, for chains. */
export const later = defineTask({
  name: named("later"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});

/** As `files`, without a retry: what fails has failed. */
export const once = defineTask({
  name: named("once"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry: { ...retry, count: 0 }, timeout: lease },
  run: runScript,
});

/** Its body may take 3 s (rule A5). */
export const limited = defineTask({
  name: named("limited"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry: { ...retry, count: 0 }, timeout: { policy: "RETRY", seconds: 3, responseSeconds: 2 } },
  run: runScript,
});

/** Reads the whole repository and publishes nothing (rule R1). */
export const reader = defineTask({
  name: named("reader"),
  ownerEmail,
  workspace: { prefix: "/", readOnly: true },
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});

/** Its pre guardrail wants a file (rule T3). */
export const guarded = defineTask({
  name: named("guarded"),
  ownerEmail,
  workspace: { prefix: "/work", pre: [requireFile("needed.txt")] },
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});

/** Without a workspace. */
export const free = defineTask({
  name: named("free"),
  ownerEmail,
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});
