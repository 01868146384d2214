/** Where the real servers are. */
export interface RealServers {
  /** With `/api`. */
  readonly conductorUrl: string;
  /** Without `/api/v1`. */
  readonly lakefsUrl: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Reads the environment variables that `pnpm stack env` prints.
 * @throws {Error} naming all that are missing: these tests fail without servers, they never skip (case P09).
 */
export function realServers(): RealServers {
  const missing: string[] = [];
  const setting = (name: string): string => {
    const value = process.env[name] ?? "";
    if (value === "") missing.push(name);
    return value;
  };
  const servers = {
    conductorUrl: setting("CONDUCTOR_SERVER_URL").replace(/\/+$/, ""),
    lakefsUrl: setting("LAKECTL_SERVER_ENDPOINT_URL").replace(/\/+$/, ""),
    accessKeyId: setting("LAKECTL_CREDENTIALS_ACCESS_KEY_ID"),
    secretAccessKey: setting("LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY"),
  };
  if (missing.length === 0) return servers;
  throw new Error(`${missing.join(", ")} not set: these tests need the real servers (pnpm stack up, pnpm stack env)`);
}
