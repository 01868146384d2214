#!/usr/bin/env node
import { existsSync } from "node:fs";

const main = new URL("../dist/main.mjs", import.meta.url);

if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write("error: perago-emulator is not built\n  -> Run `pnpm build` at the root of the repository.\n");
  process.exitCode = 2;
}
