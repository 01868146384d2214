/** How long something waits: milliseconds, or until a promise resolves; a function is called when the wait begins. */
export type Wait = number | Promise<unknown> | (() => Promise<unknown>);

/** What the proxy does to a request. `forward` is what happens without a rule. */
export type Deed =
  | { readonly kind: "forward" }
  /** The server gets it and answers; the client's connection is reset instead (a lost answer). */
  | { readonly kind: "drop_answer" }
  /** The server never gets it; the connection is reset (a lost request). */
  | { readonly kind: "drop_request" }
  /** It is sent to the server after a wait, or when the promise resolves; the client waits as long as it likes. */
  | { readonly kind: "delay_request"; readonly until: Wait }
  /** The server answers at once; the client hears it after a wait. */
  | { readonly kind: "delay_answer"; readonly until: Wait }
  /** The server gets it; the client hears another answer than the server's. */
  | { readonly kind: "replace_answer"; readonly status: number; readonly body: string }
  /** An answer of the proxy's own; the server never gets the request. */
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  /** The server gets it and answers; the head and this many bytes of the body arrive, then the connection is reset. */
  | { readonly kind: "cut_answer"; readonly afterBytes: number }
  /** A copy is sent when the server has answered the first; the client hears the answer to the copy. */
  | { readonly kind: "repeat_request" };
