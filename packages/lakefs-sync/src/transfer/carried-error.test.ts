import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LakefsError } from "../client/errors.ts";
import { SyncError } from "../errors.ts";
import { packError, unpackError } from "./carried-error.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud800", "a\nb", "\u001b[2J", "x".repeat(20_000)),
);
const fields = {
  code: "bad_request",
  status: 400,
  operation: "o",
  hint: "h",
  retryable: false,
  outcome: "refused",
} as const;
const thrown = fc.oneof(
  text.map((message) => new LakefsError({ ...fields, message })),
  fc.tuple(text, fc.array(text)).map(([message, names]) => new SyncError("folder_unstageable", message, names)),
  text.map((message) => new RangeError(message)),
  text.map((message) => Object.assign(new Error(message), { stack: undefined, extra: () => message })),
  fc.anything(),
);

test("fault J5: whatever a sync thread throws crosses to the host as an error of its class, one bounded line of ours", () => {
  fc.assert(
    fc.property(thrown, fc.boolean(), (error, aborted) => {
      const carried = structuredClone(packError(error, aborted));
      const made = unpackError(carried);
      expect(made).toBeInstanceOf(Error);
      if (aborted) expect(made).toMatchObject({ name: "SyncError", code: "sync_aborted" });
      else if (error instanceof LakefsError || error instanceof SyncError) {
        expect(made).toBeInstanceOf(error.constructor);
        expect(made).toMatchObject({ code: error.code, message: error.message, hint: error.hint });
        expect(made.message).toMatch(/^[^\p{Cc}\u2028\u2029]{0,48000}$/u);
      }
    }),
  );
});
