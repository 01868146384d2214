import type { Executor } from "./ports/executor.ts";

/**
 * The executor is taken with the first question, so that one that cannot start fails the attempt like any other
 * refusal. A cancel that comes before is kept for it.
 */
export function lazyExecutor(acquire: () => Promise<Executor>): Executor {
  let taken: Executor | undefined;
  let cancelled: Parameters<Executor["cancel"]> | undefined;
  const held = async (): Promise<Executor> => {
    taken ??= await acquire();
    if (cancelled !== undefined) taken.cancel(...cancelled);
    return taken;
  };
  return {
    validate: async (inputData) => (await held()).validate(inputData),
    run: async (request) => (await held()).run(request),
    cancel(...told) {
      cancelled = told;
      taken?.cancel(...told);
    },
    seal: async () => taken?.seal(),
    release: async () => taken?.release(),
  };
}
