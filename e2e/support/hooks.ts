import { createServer } from "node:http";
import { z } from "zod";
import { atEnd } from "./at-end.ts";
import { listenOn } from "./listen-on.ts";
import type { Repository, Tree } from "./lakefs-repository.ts";
import { realServers } from "./settings.ts";

const REQUEST_TIMEOUT_MS = 20_000;

/** When a hook runs, for which branches, and what it does: a Lua script, or a request to a webhook. */
export interface HookAction {
  /** Such as `pre-merge`. */
  readonly event: string;
  /** Pattern of branch names. */
  readonly branches: string;
  readonly hook: { readonly lua: string } | { readonly webhook: string };
  /** Default `no thanks`. */
  readonly name?: string;
  /** Default `refuses_everything`. */
  readonly hookId?: string;
}

/** The action file of one hook, by its key. */
export function actionFile({ event, branches, hook, ...names }: HookAction): Tree {
  const { name = "no thanks", hookId = "refuses_everything" } = names;
  const [type, property, value] = "lua" in hook ? ["lua", "script", hook.lua] : ["webhook", "url", hook.webhook];
  // YAML takes JSON: nothing to quote by hand.
  const hooks = [{ id: hookId, type, properties: { [property]: value } }];
  const action = { name, on: { [event]: { branches: [branches] } }, hooks };
  return { [`_lakefs_actions/${event}.yaml`]: `${JSON.stringify(action)}\n` };
}

const hookCall = z.looseObject({
  event_type: z.string(),
  branch_id: z.string(),
  /** Of a pre-merge hook: the record that lakeFS has written before it asks. */
  commit_id: z.string(),
});

/** What lakeFS tells a webhook. */
export type HookCall = z.infer<typeof hookCall>;

/** A webhook of a test; answers 200 unless told otherwise. */
export interface Webhook {
  readonly url: string;
  /** All calls so far, oldest first. */
  readonly calls: readonly HookCall[];
  /** Sets what the next calls are answered: a status, or one that comes later. `index` counts all calls, from 0. */
  answer(status: (index: number) => number | Promise<number>): void;
}

/** Starts a webhook on 127.0.0.1; it ends with the test, or file, that starts it. */
export async function startWebhook(): Promise<Webhook> {
  const calls: HookCall[] = [];
  let statusOf: (index: number) => number | Promise<number> = () => 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    // lakeFS leaves when its own client does.
    for (const stream of [request, response]) stream.on("error", () => {});
    request.on("end", () => {
      const count = calls.push(hookCall.parse(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
      void Promise.resolve(statusOf(count - 1)).then((status) =>
        response.writeHead(status).end("the hook's own words"),
      );
    });
  });
  const { port } = await listenOn(server);
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    answer(next) {
      statusOf = next;
    },
  };
}

const hookRun = z.looseObject({
  run_id: z.string(),
  event_type: z.string(),
  branch: z.string(),
  commit_id: z.string(),
  status: z.string(),
});

/** The runs of a repository's hooks as lakeFS keeps them, newest first. */
export async function hookRuns(repository: Repository): Promise<readonly z.infer<typeof hookRun>[]> {
  const { lakefsUrl, accessKeyId, secretAccessKey } = realServers();
  const credentials = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64");
  const response = await fetch(`${lakefsUrl}/api/v1/repositories/${repository.name}/actions/runs?amount=100`, {
    headers: { authorization: `Basic ${credentials}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  return z.object({ results: z.array(hookRun) }).parse(await response.json()).results;
}
