import { describe, expect, it } from "vitest";
import { checkLayer, unknownPackages } from "./check.ts";
import { parseManifest } from "./manifest.ts";
import type { Layer } from "./table.ts";

const layer: Layer = {
  name: "@perago/taskdef",
  folder: "packages/taskdef",
  mayImport: ["@perago/budget"],
  runtime: ["zod"],
};
const json = {
  name: "@perago/taskdef",
  dependencies: { "@perago/budget": "workspace:*" },
  peerDependencies: { zod: "^4" },
  devDependencies: { vitest: "1" },
};
const manifest = parseManifest(JSON.stringify(json));

function findings(path: string, text: string): string[] {
  return checkLayer(layer, manifest, [{ path: `packages/taskdef/${path}`, text }]);
}

describe("checkLayer", () => {
  it("accepts what the table allows", () => {
    const text = `import { z } from "zod";\nimport { a } from "@perago/budget";\nimport { b } from "./b.ts";`;
    expect(findings("src/a.ts", text)).toEqual([]);
    expect(findings("src/a.test.ts", `import { it } from "vitest";\nimport { a } from "./index.ts";`)).toEqual([]);
    expect(findings("tsdown.config.ts", `import { library } from "../../tsdown.base.ts";`)).toEqual([]);
  });

  it.each([
    ["a layer above", `import { a } from "@perago/worker";`, "@perago/taskdef may not import @perago/worker"],
    ["another package's src by name", `import { a } from "@perago/budget/src/a.ts";`, "reaches into another package"],
    ["another package's src by path", `import { a } from "../../budget/src/a.ts";`, "leaves the package"],
    ["a package it does not declare", `import pino from "pino";`, "pino is not in this package's dependencies"],
    ["a package it declares for development only", `import { it } from "vitest";`, "vitest is not in this package's"],
    ["itself by name", `import { a } from "@perago/taskdef";`, "imports its own package @perago/taskdef"],
    ["its own index", `import { a } from "./index.ts";`, "imports its own package's index"],
    ["export *", `export * from "./b.ts";`, "export * hides"],
  ])("refuses %s", (_what, text, wanted) => {
    expect(findings("src/a.ts", `\n${text}`)).toEqual([expect.stringContaining(wanted)]);
    expect(findings("src/a.ts", `\n${text}`)[0]).toContain("packages/taskdef/src/a.ts:2: ");
  });

  it("refuses a manifest that leans on a layer above or on a package that the design does not give it", () => {
    const bad = parseManifest(JSON.stringify({ ...json, dependencies: { "@perago/cli": "workspace:*", pino: "1" } }));
    expect(checkLayer(layer, bad, [])).toEqual([
      "packages/taskdef/package.json: @perago/taskdef may not depend on @perago/cli",
      "packages/taskdef/package.json: @perago/taskdef may not depend on pino at run time",
    ]);
  });
});

it("asks for a row for every package", () => {
  expect(unknownPackages([layer], ["packages/taskdef"])).toEqual([]);
  expect(unknownPackages([layer], ["packages/new"])).toEqual([expect.stringContaining("packages/new: no row")]);
});
