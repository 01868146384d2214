import { expect, it } from "vitest";
import { compareVersions, formatVersion, parseGoVersion, parseJavaVersion, parseVersion } from "./versions.ts";

it("reads what go and java answer", () => {
  expect(parseGoVersion("go version go1.26.8 linux/amd64")).toEqual([1, 26, 8]);
  expect(parseGoVersion("go version go1.27 darwin/arm64")).toEqual([1, 27]);
  expect(parseGoVersion("go: command not found")).toBe(undefined);
  expect(parseJavaVersion('openjdk version "25.0.3" 2026-04-21 LTS')).toEqual([25, 0, 3]);
  expect(parseJavaVersion('openjdk version "21" 2023-09-19')).toEqual([21]);
  expect(parseJavaVersion('Picked up _JAVA_OPTIONS\nopenjdk version "17.0.15" 2025-04-15')).toEqual([17, 0, 15]);
  expect(parseJavaVersion('java version "1.8.0_392"')).toEqual([8, 0]);
  expect(parseJavaVersion("Unable to locate a Java Runtime")).toBe(undefined);
});

it("orders versions by number, not by letter, and counts missing parts as zero", () => {
  expect(compareVersions([1, 9], [1, 26])).toBeLessThan(0);
  expect(compareVersions([1, 26], [1, 26, 0])).toBe(0);
  expect(compareVersions([1, 26, 3], [1, 26, 4])).toBeLessThan(0);
  expect(compareVersions([2], [1, 99])).toBeGreaterThan(0);
});

it("writes a version as it was read", () => {
  expect(formatVersion(parseVersion("v1.84.0") ?? [])).toBe("1.84.0");
  expect(parseVersion("devel")).toBe(undefined);
});
