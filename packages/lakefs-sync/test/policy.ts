import { readFileSync } from "node:fs";

/** A policy document as lakeFS takes it (`POST /auth/policies`). */
export interface Policy {
  readonly id: string;
  readonly statement: readonly {
    readonly effect: "allow" | "deny";
    readonly action: readonly string[];
    readonly resource: string;
  }[];
}

/** One of `docs/policies`. */
export function readPolicy(name: "worker" | "fence-install"): Policy {
  return JSON.parse(readFileSync(new URL(`../../../docs/policies/${name}.json`, import.meta.url), "utf8")) as Policy;
}

/** As lakeFS decides: some statement allows it, and none denies it. `*` stands for any letters, `?` for one. */
export function isAllowed(policy: Policy, action: string, resource: string): boolean {
  const effects = policy.statement.flatMap((statement) => {
    const isMeant = statement.action.some((one) => matches(one, action)) && matches(statement.resource, resource);
    return isMeant ? [statement.effect] : [];
  });
  return effects.includes("allow") && !effects.includes("deny");
}

function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s").test(text);
}
