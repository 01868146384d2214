/**
 * The name of the first proxy variable that is set, for `LakefsConnection.proxyVariable` (case A03). Its value is not
 * looked at further: it may hold a password. Pure.
 */
export function findProxyVariable(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
  return names.find((name) => (environment[name] ?? "") !== "");
}

/** The line that a failed connection adds where a proxy variable is set: this client does not use it (case A03). */
export function proxyHint(variable: string | undefined): string {
  return variable === undefined ? "" : `${variable} is set, and this client connects directly without it`;
}
