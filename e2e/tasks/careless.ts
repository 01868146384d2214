import { readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTask } from "@perago/taskdef";
import { z } from "zod";
import { lease, ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";

const deed = z.enum(["publish", "tell", "crash", "link"]);

/** A body that has read what it should not know, and everything that it finds around it, and tells it to everybody. */
export const careless = defineTask({
  name: named("careless"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params: z.object({
    deed,
    /** A file with texts that must not come out, so that no input holds them. */
    knows: z.string(),
  }),
  output: z.object({}),
  controls: { retry: { ...retry, count: 0 }, timeout: lease },
  run: async ({ workspace, params, log }) => {
    await writeFile(join(workspace.path, "a.txt"), "changed by the body");
    const found = [textOf(params.knows), JSON.stringify(process.env), process.argv.join(" "), ...surroundings()].join(
      "\n",
    );
    console.log(found);
    console.error(found);
    log.error(found, { found, nested: { list: [found] } });
    if (params.deed === "link") await symlink("/etc/passwd", join(workspace.path, "link"));
    if (params.deed === "crash") setImmediate(() => void Promise.reject(new Error(found)));
    if (params.deed === "tell") throw new Error(found, { cause: new Error(found) });
    if (params.deed === "crash") await new Promise(() => {});
    return {};
  },
});

function surroundings(): string[] {
  return [process.pid, process.ppid].flatMap((pid) => [textOf(`/proc/${pid}/environ`), textOf(`/proc/${pid}/cmdline`)]);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
