import { expect, test } from "vitest";
import { hidingPaths, rootNamesHere } from "./host-paths.ts";
import { createRedactor } from "./redact.ts";

const hiding = hidingPaths(createRedactor(["s3cr3t-key"]), new Set(["root", "var"]));

test.each([
  [
    "answered 500: write /root/.cache/lakefs/objects/dc72i6pk: no space left on device",
    "answered 500: write .../dc72i6pk: no space left on device",
  ],
  ["open '/var/lib/lakefs/x' by s3cr3t-key", "open '.../x' by [redacted]"],
  ["lakeFS uploadObject songs/main/audio/a.wav", "lakeFS uploadObject songs/main/audio/a.wav"],
  ["the prefix /audio/render stays", "the prefix /audio/render stays"],
])("rule R3: what a server says of its own disk is no path of the host in a reason: %s", (text, expected) => {
  expect(hiding.redact(text)).toBe(expected);
});

test("the names of this host are those below its root", () => {
  expect(rootNamesHere().has("tmp")).toBe(true);
});
