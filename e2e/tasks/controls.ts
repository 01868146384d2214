/** Owner of all tasks of the tests. */
export const ownerEmail = "e2e@example.com";

/** Retries come at once, so that the tests are short. */
export const retry = { count: 2, logic: "FIXED", delaySeconds: 0 } as const;

/** A lease of 3 s, with a heartbeat every second. */
export const lease = { policy: "RETRY", responseSeconds: 3 } as const;
