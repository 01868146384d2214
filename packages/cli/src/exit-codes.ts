/** What the command ends with. A signal gives 130 (SIGINT) or 143 (SIGTERM). */
export const EXIT = {
  ok: 0,
  /** What was checked is bad. */
  bad: 1,
  /** Usage or configuration. */
  usage: 2,
  /** A server is unreachable or refuses. */
  server: 3,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
