import type { Machine } from "../machine.ts";

/** A machine for tables and pages that tests make. */
export const machine: Machine = {
  cpu: "CPU",
  cpuCount: 2,
  memoryBytes: 8 * 1024 ** 3,
  system: "Linux 6",
  disk: "ext4",
  node: "24",
  lakefs: "1.84.0",
  measuredAt: "2026-11-30T00:00:00.000Z",
};
