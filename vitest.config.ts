import { defineConfig } from "vitest/config";

const conditions = ["perago-source", "node", "import", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "packages/*/src/**/*.test.ts",
            "packages/*/test/**/*.test.ts",
            "apps/*/test/**/*.test.ts",
            "tools/*/src/**/*.test.ts",
            "bench/src/**/*.test.ts",
          ],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // The whole path again, on the embedded servers: the built packages, one file after the other.
        extends: true,
        test: {
          name: "embedded",
          include: ["e2e/main-job.test.ts", "e2e/protocol/**/*.test.ts"],
          globalSetup: ["e2e/embedded/servers.ts"],
          setupFiles: ["e2e/embedded/environment.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "real",
          include: [
            "e2e/**/*.test.ts",
            "packages/*/real/**/*.test.ts",
            "tools/*/real/**/*.test.ts",
            "bench/real/**/*.test.ts",
          ],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
