import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";

/** What the thread is told to start. */
export interface EmulatorOrder {
  /** The folder of state; left out: a temporary one, removed at the end. */
  readonly folder?: string;
  /** 0: a free one. */
  readonly lakefsPort: number;
  readonly conductorPort: number;
}

const wordSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ready"),
    lakefs: z.object({ url: z.string(), accessKeyId: z.string(), secretAccessKey: z.string() }),
    conductor: z.object({ url: z.string() }),
  }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
]);

/** What the thread answers, once. */
export type EmulatorWord = z.infer<typeof wordSchema>;

/** The two embedded servers, in a thread of this process. */
export interface RunningEmulator {
  readonly lakefs: { readonly url: string; readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly conductor: { readonly url: string };
  /** Ends both and the thread. */
  close(): Promise<void>;
  /** Resolves with why where the thread ends by itself. */
  readonly lost: Promise<string>;
}

/** Starts the servers. What stands in the way is a CommandError with exit code 2. */
export async function startEmulatorThread(order: EmulatorOrder): Promise<RunningEmulator> {
  const fromSource = import.meta.url.endsWith(".ts");
  const entry = new URL(fromSource ? "./emulator-thread.ts" : "./emulator-thread.mjs", import.meta.url);
  const execArgv = fromSource ? ["--conditions=perago-source"] : [];
  const thread = new Worker(entry, { workerData: order, execArgv, env: {}, name: "perago-emulator" });
  const lost = Promise.withResolvers<string>();
  let fault = "it ended";
  thread.on("error", (error) => (fault = error instanceof Error ? error.message : String(error)));
  const exit = new Promise<void>((resolve) => {
    thread.once("exit", () => {
      lost.resolve(fault);
      resolve();
    });
  });
  const said: unknown = await Promise.race([once(thread, "message").then(([word]: unknown[]) => word), lost.promise]);
  const word = wordSchema.safeParse(said);
  if (!word.success || word.data.type === "failed") {
    await thread.terminate();
    throw refused(word.success && word.data.type === "failed" ? word.data : { code: "unknown", message: fault });
  }
  const { lakefs, conductor } = word.data;
  return {
    lakefs,
    conductor,
    lost: lost.promise,
    async close() {
      thread.postMessage("close", []);
      await exit;
    },
  };
}

function refused({ code, message }: { readonly code: string; readonly message: string }): CommandError {
  const hint =
    code === "EADDRINUSE" || code === "EACCES"
      ? "Choose another port with --lakefs-port or --conductor-port, or leave both out."
      : "Remove .perago/emulator to begin anew, or use --ephemeral.";
  const named = `the embedded servers cannot start: ${message}`;
  return new CommandError({ exitCode: EXIT.usage, code: "emulator_start", message: named, hint });
}
