import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** A folder of task modules anywhere on the disk, with `@perago/taskdef` and `zod` installed beside it or not. */
export interface ModuleFolder extends AsyncDisposable {
  readonly path: string;
  /** Writes a file and answers its path. */
  write(name: string, text: string): Promise<string>;
}

/** Makes the folder, outside any package; removed at the end of the block. */
export async function openModules(options: { readonly isInstalled: boolean }): Promise<ModuleFolder> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "perago-modules-")));
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }\n');
  if (options.isInstalled) {
    const packages = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
    await mkdir(path.join(folder, "node_modules", "@perago"), { recursive: true });
    for (const name of ["zod", "@perago/taskdef"]) {
      await symlink(await realpath(path.join(packages, name)), path.join(folder, "node_modules", name));
    }
  }
  return {
    path: folder,
    write: async (name, text) => {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Text of a module with one task. */
export function taskModule(name: string, extra = ""): string {
  return `import { defineTask, requireFile } from "@perago/taskdef";
import { z } from "zod";
export default defineTask({
  name: ${JSON.stringify(name)},
  ownerEmail: "data@example.com",
  params: z.object({ rows: z.number().int() }),
  output: z.object({ rows: z.number().int() }),
  ${extra}
  run: ({ params }) => ({ rows: params.rows }),
});
`;
}
