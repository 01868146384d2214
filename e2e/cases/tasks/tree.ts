import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { defineTask, requireDir } from "@perago/taskdef";
import { z } from "zod";
import { lease, ownerEmail } from "../../tasks/controls.ts";
import { named } from "../../tasks/named.ts";

/** One thing that a body does to its folder. */
const deed = z.discriminatedUnion("do", [
  z.object({ do: z.literal("write"), path: z.string(), content: z.string() }),
  z.object({ do: z.literal("remove"), path: z.string() }),
  /** To no bytes. */
  z.object({ do: z.literal("truncate"), path: z.string() }),
  z.object({ do: z.literal("mkdir"), path: z.string() }),
  /** Takes all rights from a file. */
  z.object({ do: z.literal("close"), path: z.string() }),
  z.object({ do: z.literal("link"), path: z.string(), target: z.string() }),
  /** Gives every file another time and the mode 0755. */
  z.object({ do: z.literal("touch everything") }),
  z.object({ do: z.literal("empty the folder") }),
  /** Starts a shell in a group of its own that writes to the file for ever; its pid goes to the result. */
  z.object({ do: z.literal("write for ever"), path: z.string() }),
]);

const params = z.object({
  deeds: z.array(deed),
  /** Letters of `filler` in the result. */
  fillerCount: z.int().min(0).default(0),
});
const output = z.object({
  /** What was in the folder at first, sorted by code unit: paths of files, and of folders with a `/` behind. */
  entries: z.array(z.string()),
  filler: z.string(),
  pid: z.int().optional(),
  odd: z.number(),
});

const shared = {
  ownerEmail,
  params,
  output,
  controls: { retry: { count: 1, logic: "FIXED", delaySeconds: 0 }, timeout: lease },
} as const;

/** Below `data`. */
export const tree = defineTask({ ...shared, name: named("tree"), workspace: { prefix: "data" }, run: perform });
/** The whole repository. */
export const root = defineTask({ ...shared, name: named("root"), workspace: { prefix: "/" }, run: perform });
/** Must leave a folder `out`. */
export const makes = defineTask({
  ...shared,
  name: named("makes"),
  workspace: { prefix: "/data/", post: [requireDir("out")] },
  run: perform,
});
/** Must find a folder `out`. */
export const needs = defineTask({
  ...shared,
  name: named("needs"),
  workspace: { prefix: "data/", pre: [requireDir("out")] },
  run: perform,
});

interface Context {
  readonly params: z.output<typeof params>;
  readonly workspace: { readonly path: string };
}

async function perform({ params: { deeds, fillerCount }, workspace: { path } }: Context) {
  const entries = await listEntries(path);
  let pid: number | undefined;
  for (const each of deeds) pid = (await does(each, path)) ?? pid;
  return { entries, filler: "x".repeat(fillerCount), pid, odd: -0 };
}

async function listEntries(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => {
    const path = relative(folder, join(entry.parentPath, entry.name));
    return entry.isDirectory() ? `${path}/` : path;
  });
  return paths.toSorted();
}

async function does(each: z.output<typeof deed>, folder: string): Promise<number | undefined> {
  const path = "path" in each ? join(folder, each.path) : folder;
  switch (each.do) {
    case "write":
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, each.content);
      return undefined;
    case "remove":
      await rm(path, { recursive: true });
      return undefined;
    case "truncate":
      await truncate(path);
      return undefined;
    case "mkdir":
      await mkdir(path, { recursive: true });
      return undefined;
    case "close":
      await chmod(path, 0);
      return undefined;
    case "link":
      await symlink(each.target, path);
      return undefined;
    case "touch everything":
      await touchAll(folder);
      return undefined;
    case "empty the folder":
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
      return undefined;
    case "write for ever":
      return writeForEver(path);
  }
}

async function touchAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    await utimes(path, 1_000_000_000, 1_000_000_000);
    await chmod(path, 0o755);
  }
}

async function writeForEver(path: string): Promise<number | undefined> {
  // It has written before it says so: what is killed at once would leave nothing to look at.
  const script = `echo more >> "$1"; echo begun; while :; do echo more >> "$1"; sleep 0.01; done`;
  const shell = spawn("sh", ["-c", script, "sh", path], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  for await (const _ of shell.stdout) break;
  shell.unref();
  return shell.pid;
}
