import type { EmulatorProcess } from "./emulator-process.ts";

/** What the emulator acknowledged and so must still know. */
export interface Facts {
  /** Uploads by `branch path`, with their content. */
  readonly objects: Map<string, string>;
  /** Commits by id, with their message. */
  readonly commits: Map<string, string>;
  /** Merge commits on `main`, in their order. */
  readonly merges: string[];
  readonly branches: Set<string>;
}

/** No facts. */
export function noFacts(): Facts {
  return { objects: new Map(), commits: new Map(), merges: [], branches: new Set() };
}

const repository = "kill-test";
const base = `/api/v1/repositories/${repository}`;

async function send(server: EmulatorProcess, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.authorization, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

/** Makes the repository where it is not there. */
export async function prepare(server: EmulatorProcess): Promise<void> {
  const json = { name: repository, storage_namespace: `local://${repository}/x` };
  const { status } = await send(server, "POST", "/api/v1/repositories", json);
  if (status !== 201 && status !== 409) throw new Error(`the repository cannot be made: ${status}`);
}

/**
 * One writer: branch, upload, commit, merge, again and again until the server is gone. A fact is written down only
 * when its answer has arrived whole.
 */
export async function write(server: EmulatorProcess, name: string, facts: Facts): Promise<void> {
  try {
    // Bounded by the server's life: each round asks it several times.
    for (let round = 0; ; round += 1) await writeRound(server, `${name}-${round}`, facts);
  } catch (error) {
    // fetch says TypeError for a connection that is gone; anything else is a finding.
    if (!(error instanceof TypeError)) throw error;
  }
}

async function writeRound(server: EmulatorProcess, branch: string, facts: Facts): Promise<void> {
  await acknowledged(await send(server, "POST", `${base}/branches`, { name: branch, source: "main" }), 201);
  facts.branches.add(branch);
  const content = `content of ${branch}`;
  const upload = `${base}/branches/${branch}/objects?path=${branch}.txt`;
  await acknowledged(await send(server, "POST", upload, content), 201);
  facts.objects.set(`${branch} ${branch}.txt`, content);
  const commit = await acknowledged(
    await send(server, "POST", `${base}/branches/${branch}/commits`, { message: branch }),
    201,
  );
  const id = textOf(commit, "id");
  facts.commits.set(id, branch);
  const merge = await acknowledged(
    await send(server, "POST", `${base}/refs/${id}/merge/main`, { squash_merge: true }),
    200,
  );
  facts.merges.push(textOf(merge, "reference"));
  facts.objects.set(`main ${branch}.txt`, content);
}

async function acknowledged(response: Response, status: number): Promise<string> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status} instead of ${status}: ${text}`);
  return text;
}

function textOf(json: string, name: string): string {
  const value: unknown = JSON.parse(json);
  const entry =
    typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name) : undefined;
  return String(entry?.[1]);
}

/** What the server does not know any more of the facts; nothing where all is there. */
export async function lost(server: EmulatorProcess, facts: Facts): Promise<string[]> {
  const findings: string[] = [];
  for (const branch of facts.branches) {
    const { status } = await send(server, "GET", `${base}/branches/${branch}`);
    if (status !== 200) findings.push(`branch ${branch}: ${status}`);
  }
  for (const [id, message] of facts.commits) {
    const text = await (await send(server, "GET", `${base}/commits/${id}`)).text();
    if (!text.includes(`"message":"${message}"`)) findings.push(`commit ${id}: ${text}`);
  }
  for (const [place, content] of facts.objects) {
    const [branch = "", path = ""] = place.split(" ");
    const response = await send(server, "GET", `${base}/refs/${branch}/objects?path=${path}`);
    if ((await response.text()) !== content) findings.push(`object ${place}: ${response.status}`);
  }
  const known = new Set(await mainLog(server));
  for (const id of facts.merges) if (!known.has(id)) findings.push(`merge ${id} is not on main`);
  return findings;
}

const MAX_LOG_PAGES = 1_000;

async function mainLog(server: EmulatorProcess): Promise<string[]> {
  const ids: string[] = [];
  let after = "";
  for (let page = 0; page < MAX_LOG_PAGES; page += 1) {
    const path = `${base}/refs/main/commits?first_parent=true&amount=1000&after=${after}`;
    const text = await (await send(server, "GET", path)).text();
    ids.push(...[...text.matchAll(/"id":"([0-9a-f]{64})"/g)].map((match) => String(match[1])));
    after = /"next_offset":"([^"]*)"/.exec(text)?.[1] ?? "";
    if (after === "") return ids;
  }
  throw new Error("the log has no end");
}
