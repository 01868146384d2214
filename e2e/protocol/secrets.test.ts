import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilEnded } from "../support/conductor.ts";
import { startHost } from "../support/host.ts";
import { createRepository } from "../support/lakefs-repository.ts";
import { failureCode } from "../support/outcome.ts";
import { onlyNth, startProxy, type Meddler, type SeenRequest } from "../support/proxy.ts";
import { isDownload, isHeadOf, isMerge, isResult } from "../support/requests.ts";
import { realServers } from "../support/settings.ts";
import { createTestRun } from "../support/test-run.ts";

const { accessKeyId, secretAccessKey, conductorUrl, lakefsUrl } = realServers();
const random = (label: string): string => `${label}/${randomBytes(18).toString("base64")}`;
/** Every secret that this host has, of a unique text. */
const keyId = random("key");
const keySecret = random("secret");
const token = random("token");
const signature = randomBytes(16).toString("hex");
/** What nobody calls a secret: it has to come out, or the search would find nothing anywhere. */
const open = `open-${randomBytes(12).toString("hex")}`;

const base64 = (text: string): string => Buffer.from(text).toString("base64");
/** Every form in which a secret would be a leak (cases A01 and A02). */
const LEAKS: readonly string[] = [
  ...[keyId, keySecret, token, secretAccessKey].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    base64(secret).replace(/=+$/, ""),
    JSON.stringify(secret).slice(1, -1),
  ]),
  base64(`${accessKeyId}:${secretAccessKey}`),
  base64(`${keyId}:${keySecret}`),
  signature,
  "X-Amz-",
];

function leaksIn(text: string): readonly string[] {
  return LEAKS.filter((form) => text.includes(form));
}

/** What a careless proxy answers: the request with its keys, and an address that opens the store. */
const basic = base64(`${accessKeyId}:${secretAccessKey}`);
const presigned = `https://store.example/x?X-Amz-Signature=${signature}&X-Amz-Credential=${signature}`;
const echo = `authorization: Basic ${basic} ${secretAccessKey} ${presigned}`;
/** The token goes to Conductor alone, so only what stands before it can send it back. */
const tokenEcho = `x-authorization: ${token} ${presigned}`;
const asJson = JSON.stringify({ message: echo });
/** As Go writes JSON: no message field, and `&` escaped. */
const asOtherJson = JSON.stringify({ error: echo }).replaceAll("&", "\\u0026");
const asPage = `<html><body>${echo}</body></html>`;
const answer = (status: number, body: string) => ({ kind: "answer", status, body }) as const;

const run = await createTestRun(["careless"]);
const repository = await createRepository("secrets");
const input = await repository.commitTree({ "work/a.txt": "a" });
const [conductor, lakefs] = [await startProxy(conductorUrl), await startProxy(lakefsUrl)];
const isToken = ({ method, path }: SeenRequest): boolean => method === "POST" && path.endsWith("/token");
const isTaskRead = ({ method, path }: SeenRequest): boolean =>
  method === "GET" && /\/tasks\/[^/]+$/.test(path) && !path.includes("/poll");
const tokens: Meddler = (request) => (isToken(request) ? answer(200, JSON.stringify({ token })) : undefined);
const secretSettings = { CONDUCTOR_AUTH_KEY: keyId, CONDUCTOR_AUTH_SECRET: keySecret, PERAGO_LOG_LEVEL: "debug" };

interface Path {
  readonly name: string;
  readonly deed: "publish" | "tell" | "crash" | "link";
  /** Undefined where the attempt ends COMPLETED in spite of all. */
  readonly code?: string;
  readonly lakefs?: (branch: string) => Meddler;
  readonly conductor?: Meddler;
}

const PATHS: readonly Path[] = [
  { name: "nothing", deed: "publish" },
  { name: "the body tells what it knows and finds", deed: "tell", code: "body_failed" },
  { name: "the executor crashes with it", deed: "crash", code: "executor_lost" },
  { name: "the folder cannot be staged", deed: "link", code: "workspace_unstageable" },
  {
    name: "a hook refuses with the request in its words",
    deed: "publish",
    code: "hook_refused",
    lakefs: () => onlyNth(0, isMerge, answer(412, asJson)),
  },
  {
    name: "the merge ends in an unknown that repeats the request",
    deed: "publish",
    code: "publish_unknown",
    lakefs: () => onlyNth(0, isMerge, answer(500, asOtherJson)),
  },
  {
    name: "lakeFS refuses the credentials with a page",
    deed: "publish",
    code: "server_unavailable",
    lakefs: (branch) => onlyNth(0, isHeadOf(branch), answer(401, asPage)),
  },
  {
    name: "the store refuses with a presigned address",
    deed: "publish",
    code: "server_unavailable",
    lakefs: () => onlyNth(0, isDownload, answer(403, asOtherJson)),
  },
  {
    name: "Conductor answers a result with the request",
    deed: "publish",
    conductor: onlyNth(0, isResult, answer(500, JSON.stringify({ message: tokenEcho }))),
  },
  {
    name: "Conductor refuses a read with a page",
    deed: "publish",
    code: "server_unavailable",
    conductor: onlyNth(0, isTaskRead, answer(400, `<html>${tokenEcho}</html>`)),
  },
];

test("case A01, case A02, fault J4: no secret comes out of a host at debug level, whatever fails and whoever repeats it", async () => {
  const folder = await run.folder("knows");
  const knows = join(folder, "texts");
  await writeFile(knows, `${open} ${echo} ${keyId} ${keySecret} ${encodeURIComponent(secretAccessKey)}`);
  conductor.meddle(tokens);
  const proxied = { conductorUrl: conductor.url, lakefsUrl: lakefs.url };
  const host = await startHost(run, { ...proxied, env: secretSettings });
  const told: Record<string, string> = {};
  for (const path of PATHS) {
    const branch = await repository.newBranch("target", input);
    lakefs.meddle(path.lakefs?.(branch));
    conductor.meddle((request, count) => tokens(request, count) ?? path.conductor?.(request, count));
    const params = { deed: path.deed, knows };
    const ended = await untilEnded(await run.startTask("careless", { repository, ref: input, branch, params }));
    const [task] = ended.tasks;
    expect(task && (path.code === undefined ? task.status : failureCode(task)), path.name).toBe(
      path.code ?? "COMPLETED",
    );
    const tasks = ended.tasks.map((each) => ({ ...each, inputData: "not of the host's making" }));
    told[`result: ${path.name}`] = JSON.stringify([ended.reasonForIncompletion, ended.output, tasks]);
    told[`commits: ${path.name}`] = JSON.stringify(await repository.log(branch));
  }
  lakefs.meddle();
  for (const branch of await repository.branches())
    told[`branch: ${branch}`] = JSON.stringify(await repository.log(branch));
  await host.stop();
  told["stdout"] = host.stdout();
  told["stderr"] = host.stderr();
  told["logs"] = await host.logText();

  const wrong = { ...secretSettings, LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: keySecret };
  const away = { ...secretSettings, CONDUCTOR_SERVER_URL: "http://127.0.0.1:1/api" };
  conductor.meddle((request) => (isToken(request) ? answer(401, JSON.stringify({ keyId, keySecret })) : undefined));
  for (const [name, env] of Object.entries({
    wrong,
    away,
    refused: { ...secretSettings, CONDUCTOR_SERVER_URL: conductor.url },
  })) {
    const { exitCode, stdout, stderr } = await run.perago(["start", ...run.modules], env);
    expect(exitCode, `${name}: ${stderr}`).toBe(3);
    told[name] = stdout + stderr;
  }

  expect(Object.entries(told).flatMap(([where, text]) => leaksIn(text).map((form) => `${where}: ${form}`))).toEqual([]);
  // The search reaches all of it: what is no secret came through the same ways.
  expect(told["logs"]).toContain(open);
  expect(told["result: the body tells what it knows and finds"]).toContain(open);
  expect(told["result: the executor crashes with it"]).toContain(open);
  expect(told["commits: nothing"]).toContain("perago.staging_commit");
  expect(told["logs"]).toContain('"level":"debug"');
});

test.each(LEAKS.map((form, index) => [index, form] as const))("form %i of a secret would be found", (_, form) => {
  expect(leaksIn(`some words ${form} and more`)).toContain(form);
});
