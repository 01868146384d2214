import { startProxy as start, type Proxy } from "@perago/tools-fault-proxy";
import { atEnd } from "./at-end.ts";

export { onlyNth } from "@perago/tools-fault-proxy";
export type { Deed, Meddler, Proxy, SeenRequest } from "@perago/tools-fault-proxy";

/** Starts a proxy before a server; it ends with the test or test file that starts it. */
export async function startProxy(serverUrl: string): Promise<Proxy> {
  const proxy = await start(serverUrl);
  atEnd(() => proxy.close());
  return proxy;
}
