import type { Output } from "./output/style.ts";

/** What a command may touch of its surroundings. */
export interface CommandContext {
  /** Results. */
  readonly stdout: Output;
  /** Everything else. */
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Working folder, absolute. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}
