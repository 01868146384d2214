import { badResponse } from "./failure.ts";
import { defaultTimeoutMs, type HttpClient } from "./http.ts";
import { protectionRulesOf, recordOf, repositoryOf, textOf } from "./shapes.ts";
import { storagesOf } from "./storage-abilities.ts";
import type { BranchProtectionRule, CallOptions, Repository, ServerConfig } from "./types.ts";

/** lakeFS `getRepository`. */
export function getRepository(http: HttpClient, repository: string, options: CallOptions = {}): Promise<Repository> {
  const spec = {
    operation: "getRepository",
    method: "GET",
    segments: ["repositories", repository],
    repeat: "safe",
  } as const;
  return http.json(spec, options, repositoryOf);
}

/** lakeFS `createRepository`; sent once, since a repeated create answers "not unique". For tools and tests. */
export function createRepository(
  http: HttpClient,
  creation: { name: string; storageNamespace: string; defaultBranch?: string; readOnly?: boolean },
  options: CallOptions = {},
): Promise<Repository> {
  const json = {
    name: creation.name,
    storage_namespace: creation.storageNamespace,
    default_branch: creation.defaultBranch ?? "main",
    read_only: creation.readOnly ?? false,
  };
  const segments = ["repositories"];
  const spec = {
    operation: "createRepository",
    method: "POST",
    segments,
    json,
    subject: creation.name,
    repeat: "never",
  } as const;
  return http.json(spec, options, repositoryOf);
}

/** lakeFS `deleteRepository`. For tools and tests. */
export async function deleteRepository(http: HttpClient, repository: string, options: CallOptions = {}): Promise<void> {
  const segments = ["repositories", repository];
  const query = { force: true };
  await http.text({ operation: "deleteRepository", method: "DELETE", segments, query, repeat: "safe" }, options);
}

/** lakeFS `getBranchProtectionRules`. The server caches rules for some seconds (case L12). */
export function getBranchProtectionRules(
  http: HttpClient,
  repository: string,
  options: CallOptions = {},
): Promise<BranchProtectionRule[]> {
  const segments = ["repositories", repository, "settings", "branch_protection"];
  const spec = { operation: "getBranchProtectionRules", method: "GET", segments, repeat: "safe" } as const;
  return http.json(spec, options, protectionRulesOf);
}

/** lakeFS `setBranchProtectionRules`: replaces all rules. */
export async function setBranchProtectionRules(
  http: HttpClient,
  repository: string,
  rules: readonly BranchProtectionRule[],
  options: CallOptions = {},
): Promise<void> {
  const segments = ["repositories", repository, "settings", "branch_protection"];
  const spec = { operation: "setBranchProtectionRules", method: "PUT", segments, json: rules, repeat: "safe" } as const;
  await http.text(spec, options);
}

/** lakeFS `getConfig`: version and the storages' abilities. Also the cheapest authorised call. */
export function getConfig(http: HttpClient, options: CallOptions = {}): Promise<ServerConfig> {
  const spec = { operation: "getConfig", method: "GET", segments: ["config"], repeat: "safe" } as const;
  return http.json(spec, options, (value) => {
    const config = recordOf(value);
    return {
      version: textOf(recordOf(config["version_config"], "version_config"), "version", ""),
      blockstoreType: textOf(recordOf(config["storage_config"], "storage_config"), "blockstore_type"),
      storages: storagesOf(config),
    };
  });
}

/** lakeFS `healthCheck`: whether the server answers. */
export async function healthCheck(http: HttpClient, options: CallOptions = {}): Promise<void> {
  await http.text({ operation: "healthCheck", method: "GET", segments: ["healthcheck"], repeat: "safe" }, options);
}

/**
 * What time it is by the server: the `Date` of a lakeFS `healthCheck` answer, milliseconds since 1970. Ages of commits
 * are told by it, so that no two clocks are compared.
 */
export function readServerTime(http: HttpClient, options: CallOptions = {}): Promise<number> {
  const spec = { operation: "healthCheck", method: "GET", segments: ["healthcheck"], repeat: "safe" } as const;
  return http.receive(spec, { timeoutMs: defaultTimeoutMs, ...options }, () => {
    let date = "";
    return {
      begin: (head) => {
        date = head.header("date") ?? "";
      },
      take: () => undefined,
      end: () => {
        const timeMs = Date.parse(date);
        if (Number.isNaN(timeMs)) throw badResponse("healthCheck", "the server", "an answer without the time");
        return timeMs;
      },
    };
  });
}
