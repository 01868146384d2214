/** The line that a failed connection adds where a proxy variable is set: this client does not use it (case A03). */
export function proxyHint(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
  const name = names.find((candidate) => (environment[candidate] ?? "") !== "");
  return name === undefined ? "" : `${name} is set, and this client connects directly without it`;
}
