import { expect, it } from "vitest";
import { chooseJava } from "./jdk.ts";
import type { JavaCandidate } from "./jdk.ts";

const java = (path: string, version: JavaCandidate["version"], source: JavaCandidate["source"]): JavaCandidate => ({
  path,
  version,
  source,
});

it("prefers a chosen Java that is new enough over a newer installed one", () => {
  const candidates = [
    java("jvm/25", [25, 0, 3], "installed"),
    java("home", [21], "chosen"),
    java("path", [22], "chosen"),
  ];
  expect(chooseJava(candidates)?.path).toBe("home");
});

it("passes by a chosen Java that is too old and takes the newest installed one", () => {
  const candidates = [
    java("path", [17, 0, 15], "chosen"),
    java("jvm/21", [21, 0, 9], "installed"),
    java("jvm/25", [25, 0, 3], "installed"),
    java("jvm/broken", undefined, "installed"),
  ];
  expect(chooseJava(candidates)?.path).toBe("jvm/25");
});

it("has no answer where all are too old or broken", () => {
  expect(chooseJava([java("a", [17], "chosen"), java("b", [8, 0], "installed"), java("c", undefined, "chosen")])).toBe(
    undefined,
  );
  expect(chooseJava([])).toBe(undefined);
});
