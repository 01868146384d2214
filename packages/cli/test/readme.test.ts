import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseArguments } from "../src/program.ts";
import { perago, temporaryFolder } from "./support/perago.ts";

async function readme(): Promise<string> {
  return await readFile(new URL("../README.md", import.meta.url), "utf8");
}

test.for(["check", "extract", "register", "start", "run", "dev", "sweep", "history", "fence install", "fence verify"])(
  "the README names every option of perago %s, and no other",
  async (name) => {
    let help = "";
    const output = { write: (text: string) => void (help += text), paint: (_: string, text: string) => text };
    parseArguments([...name.split(" "), "--help"], "1.2.3", { stdout: output, stderr: output });
    const options = [...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].flatMap(([, option]) => option ?? []);
    const section = (await readme()).split(/^### /m).find((part) => part.startsWith(`\`perago ${name} `)) ?? "";
    const named = new Set<string>(
      [...section.matchAll(/`(?:-\w, )?(--[a-z-]+)[^`]*` \|/g)].flatMap(([, option]) => option ?? []),
    );
    for (const [option] of section.split("\n")[0]?.matchAll(/--[a-z-]+/g) ?? []) named.add(option);
    expect([...named].toSorted()).toEqual(options.filter((option) => option !== "--help").toSorted());
  },
);

test("the README's module is sound, and check prints what the README shows", async () => {
  const text = await readme();
  const folder = await temporaryFolder();
  const file = fileURLToPath(new URL("fixtures/readme-example.ts", import.meta.url));
  expect(/```ts\n\/\/ tasks\/count\.ts\n(.*?)```/s.exec(text)?.[1]).toBe(await readFile(file, "utf8"));
  const { stdout } = await perago(["check", file], { folder });
  expect(text).toContain(stdout.replace(file, "tasks/count.ts"));
});
