import type { ConductorHttp } from "./http.ts";
import { createTokenSource } from "./token.ts";

/** The address of Conductor and, where it asks for one, the key pair. */
export interface ConductorConnection {
  readonly serverUrl: string;
  readonly auth?: { readonly keyId: string; readonly keySecret: string };
}

/** An open connection; `close` stops the token timer and closes the connections (case P11). */
export type ConductorClient = ConductorHttp;

/**
 * Opens a connection. With a key pair the first token is fetched at once: a wrong one throws
 * `conductor_unauthorized`.
 */
export async function openConductor(connection: ConductorConnection, nowMs: () => number): Promise<ConductorClient> {
  const { serverUrl, auth } = connection;
  const tokens = auth === undefined ? undefined : await createTokenSource({ serverUrl, ...auth, nowMs });
  // Loaded with the first connection: the commands that open none need no HTTP client.
  const { createConductorHttp } = await import("./http.ts");
  const http = createConductorHttp({ serverUrl, ...(tokens === undefined ? {} : { tokens }) });
  return {
    origin: http.origin,
    send: http.send,
    async close() {
      tokens?.close();
      await http.close();
    },
  };
}
