import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { action } from "../tasks/script.ts";
import type { TestRun } from "./test-run.ts";
import { until, type Patience } from "./until.ts";

/** One thing that a scripted body does. */
export type Action = z.input<typeof action>;

const note = z.object({
  pid: z.number(),
  taskId: z.string(),
  retryCount: z.number(),
  workspace: z.string().nullable(),
  files: z.array(z.string()),
});

/** The folder in which the bodies of one test and the test meet. */
export interface Control {
  readonly folder: string;
  /** Params of a scripted task: what its first, second, ... body does. */
  params(...scripts: readonly (readonly Action[])[]): { control: string; scripts: readonly (readonly Action[])[] };
  /** Lets bodies go on that hold at `name`. */
  tell(name: string): Promise<void>;
  /** Waits until a body has told `name`. */
  heard(name: string, patience?: Patience): Promise<void>;
  /** Notes of the bodies that have begun, oldest first. */
  runs(): Promise<readonly z.infer<typeof note>[]>;
  /** Pids of a spawned shell and its child. */
  spawned(): Promise<readonly number[]>;
}

/** A control folder of a test. */
export async function createControl(run: TestRun): Promise<Control> {
  const folder = await run.folder("control");
  const names = async (): Promise<readonly string[]> => readdir(folder);
  return {
    folder,
    params: (...scripts) => ({ control: folder, scripts }),
    tell: (name) => writeFile(join(folder, name), ""),
    async heard(name, patience) {
      await until(`a body tells ${name}`, async () => (await names()).includes(name), { everyMs: 25, ...patience });
    },
    async runs() {
      const count = (await names()).filter((name) => name.startsWith("run-")).length;
      const files = Array.from({ length: count }, (_, index) => join(folder, `run-${index + 1}.json`));
      const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
      return texts.map((text) => note.parse(JSON.parse(text)));
    },
    async spawned() {
      return (await readFile(join(folder, "pids"), "utf8")).split(" ").map(Number);
    },
  };
}

/** Whether a process is there. A zombie is not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2, text.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
