/**
 * The test cannot go on: it was set up wrongly, or something did not come to pass in time. Never about what a task did.
 */
export class TestingError extends Error {
  readonly code: "module_refused" | "task_unknown" | "declaration_refused" | "files_refused" | "not_in_time" | "closed";
  /** The mend. */
  readonly hint: string;

  constructor(code: TestingError["code"], message: string, hint: string, options?: ErrorOptions) {
    super(`${message}. ${hint}`, options);
    this.name = "TestingError";
    this.code = code;
    this.hint = hint;
  }
}
