import type { App, AppOptions } from "../app.ts";

/** Credentials of the first user. */
export interface LakefsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The lakeFS-shaped server and how to get in. */
export interface LakefsApp extends App {
  readonly credentials: LakefsCredentials;
}

/** The lakeFS-shaped server. */
export function createLakefsApp(_options: AppOptions, credentials?: LakefsCredentials): LakefsApp {
  return {
    credentials: credentials ?? { accessKeyId: "", secretAccessKey: "" },
    fetch: () => Response.json({ message: "not built yet" }, { status: 501 }),
    close: () => undefined,
  };
}
