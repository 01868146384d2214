import { createHash } from "node:crypto";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  HARD_FENCE,
  HARD_FENCE_PROBE_PREFIX,
  HARD_FENCE_WORDS,
  hardFenceAction,
  hardFencePath,
  isHardFenceInForce,
  recogniseHardFence,
} from "./hard-fence.ts";
import { EXPECTED_HEAD, PHASE } from "./metadata-keys.ts";
import { isStagingBranchName } from "./staging-branch.ts";

const branches = fc.stringMatching(/^\w[-\w]{0,40}$/);

describe("the action of the hard fence", () => {
  test.for([
    ["version 1", false, "9c32640a2e70ed4d6349b16b6418babea669ef922325f860a8ad5135494cac14"],
    ["version 1, exclusive", true, "63e30291fcf1518e995cedd84b2157be1b02d99c32db8dc41ab93cf94c61811e"],
  ] as const)("rule H3: a published text never changes: %s", ([, exclusive, hash]) => {
    const { text, version } = hardFenceAction({ branch: "main", exclusive });
    expect(version).toBe(1);
    expect(createHash("sha256").update(text).digest("hex")).toBe(hash);
  });

  test("rule H1: it compares what Perago writes with the head, on the target and on probes alone", () => {
    const { path, text } = hardFenceAction({ branch: "main" });
    expect(path).toBe("_lakefs_actions/perago-hard-fence-main.yaml");
    for (const key of [PHASE, EXPECTED_HEAD, HARD_FENCE]) expect(text).toContain(`metadata["${key}"]`);
    expect(text).toContain(`branches: ["main", "${HARD_FENCE_PROBE_PREFIX}*"]`);
    expect(text).toContain(`error("${HARD_FENCE_WORDS}`);
    expect(text).not.toContain("pre-commit");
  });

  test("rule H1: the exclusive one takes other ways onto the target too, and leaves other branches alone", () => {
    const { text } = hardFenceAction({ branch: "main", exclusive: true });
    for (const event of ["pre-commit", "pre-revert", "pre-cherry-pick"]) {
      expect(text).toContain(`  ${event}:\n    branches: ["main"]\n`);
    }
  });

  test("fault D7: a probe's branch has the form of a staging branch, so that what it leaves is swept", () => {
    expect(isStagingBranchName(`${HARD_FENCE_PROBE_PREFIX}0123456789ab`)).toBe(true);
  });

  test.each(["", "-x", "a/b", "a b", 'a"]', "a\nb", "../x"])("no branch, no action: %j", (branch) => {
    expect(() => hardFenceAction({ branch })).toThrow(TypeError);
    expect(() => hardFencePath(branch)).toThrow(TypeError);
  });
});

describe("what stands on a commit", () => {
  property.prop([branches, fc.boolean()])(
    "rule H3: an unchanged text is in force, for its own branch",
    (branch, exclusive) => {
      const { text, version } = hardFenceAction({ branch, exclusive });
      const state = recogniseHardFence(text, branch);
      expect(state).toEqual({ kind: "in_force", version, exclusive });
      expect(isHardFenceInForce(state)).toBe(true);
      expect(recogniseHardFence(text, `${branch}x`)).toEqual({ kind: "edited" });
    },
  );

  property.prop([fc.boolean(), fc.nat(), fc.constantFrom("", " ", "\n", "#", "x")])(
    "rule H3: one letter more or less is another text, and counts as edited",
    (exclusive, at, letter) => {
      const { text } = hardFenceAction({ branch: "main", exclusive });
      const cut = at % text.length;
      const changed = text.slice(0, cut) + letter + text.slice(cut + (letter === "" ? 1 : 0));
      expect(isHardFenceInForce(recogniseHardFence(changed, "main"))).toBe(changed === text);
    },
  );

  property.prop([fc.string()])("rule H3: no other text is ever in force", (text) => {
    expect(["edited", "newer"]).toContain(recogniseHardFence(text, "main").kind);
  });

  test("rule H3: nothing there is missing, and a later version is named as such", () => {
    expect(recogniseHardFence(undefined, "main")).toEqual({ kind: "missing" });
    const later = hardFenceAction({ branch: "main" }).text.replace("version 1", "version 7");
    expect(recogniseHardFence(later, "main")).toEqual({ kind: "newer", version: 7 });
    const earlier = later.replace("version 7", "version 0");
    expect(recogniseHardFence(earlier, "main")).toEqual({ kind: "edited" });
  });
});
