export type { Deed, Wait } from "./deed.ts";
export { onlyNth, startProxy } from "./proxy.ts";
export type { Meddler, Proxy, ProxyOptions, SeenRequest } from "./proxy.ts";
