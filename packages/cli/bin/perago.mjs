#!/usr/bin/env node
// Plain and old syntax on purpose: it must parse on the Node that it refuses (18 and later).
import { existsSync } from "node:fs";

const NEEDED_MAJOR = 24;
const NEEDED_MINOR = 12;
const EXIT_USAGE = 2;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const main = new URL("../dist/main.mjs", import.meta.url);

if (major < NEEDED_MAJOR || (major === NEEDED_MAJOR && minor < NEEDED_MINOR)) {
  const { execPath, versions } = process;
  refuse(
    `perago needs Node ${NEEDED_MAJOR}.${NEEDED_MINOR} or newer; this is ${versions.node} (${execPath})`,
    "Install a newer Node, or add the npm package `node` (24.12 or newer) to the devDependencies of your package: " +
      "node_modules/.bin/perago then runs on it.",
  );
} else if (!existsSync(main)) {
  refuse("perago is not built", "Run `pnpm build` at the root of the repository.");
} else {
  await import(main.href);
}

function refuse(message, hint) {
  process.stderr.write(`error: ${message}\n  -> ${hint}\n`);
  process.exitCode = EXIT_USAGE;
}
