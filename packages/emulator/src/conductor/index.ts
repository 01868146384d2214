import type { App, AppOptions } from "../app.ts";

/** The Conductor-shaped server. Not here yet: every request is refused by name. */
export function createConductorApp(_options: AppOptions): App {
  return {
    fetch: () => Response.json({ status: 501, message: "the Conductor part is not built yet" }, { status: 501 }),
    close: () => undefined,
  };
}
