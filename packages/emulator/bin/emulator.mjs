#!/usr/bin/env node
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

const main = new URL("../dist/main.mjs", import.meta.url);

if (existsSync(main)) {
  // Halves the time to start, from the second time on.
  enableCompileCache();
  await import(main.href);
} else {
  process.stderr.write("error: perago-emulator is not built\n  -> Run `pnpm build` at the root of the repository.\n");
  process.exitCode = 2;
}
