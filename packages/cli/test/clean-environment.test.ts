import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hideSecrets } from "../src/clean-environment.ts";
import { temporaryFolder } from "./support/perago.ts";

const SECRET = "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY";

test("the process is replaced by one without the secrets, which finds them in a file of its own and removes it", () => {
  const environment = { [SECRET]: "hidden", LAKECTL_SERVER_ENDPOINT_URL: "http://127.0.0.1:8000", HOME: "/home/a" };
  let seen: { readonly handed: Record<string, string>; readonly mode: number; readonly second: object } | undefined;
  hideSecrets({
    environment,
    replace: (handed) => {
      const mode = statSync(handed["PERAGO_HANDOVER"] ?? "").mode & 0o777;
      const second = hideSecrets({ environment: handed, replace: () => expect.unreachable("replaced twice") });
      seen = { handed, mode, second };
    },
  });
  expect(Object.values(seen?.handed ?? {})).not.toContain("hidden");
  expect(seen?.mode).toBe(0o600);
  expect(seen?.second).toEqual(environment);
  expect(existsSync(path.dirname(seen?.handed["PERAGO_HANDOVER"] ?? ""))).toBe(false);
});

test("without a secret, or on a system that cannot replace a process, nothing happens", () => {
  const plain = { HOME: "/home/a", [SECRET]: "" };
  expect(hideSecrets({ environment: plain, replace: () => expect.unreachable("replaced") })).toBe(plain);
  const secret = { [SECRET]: "hidden" };
  expect(hideSecrets({ environment: secret, replace: undefined })).toBe(secret);
});

test("a replacement that fails leaves the environment as it was, and no file", () => {
  let file = "";
  const environment = { [SECRET]: "hidden" };
  const after = hideSecrets({
    environment,
    replace: (handed) => {
      file = handed["PERAGO_HANDOVER"] ?? "";
      throw new Error("E2BIG");
    },
  });
  expect(after).toBe(environment);
  expect(file).not.toBe("");
  expect(existsSync(file)).toBe(false);
});

test("a handover that is gone, or that names somebody else's file, gives nothing and removes nothing", async () => {
  const folder = await temporaryFolder();
  const replace = undefined;
  expect(hideSecrets({ environment: { PERAGO_HANDOVER: path.join(folder, "none") }, replace })).toEqual({});
  mkdirSync(path.join(folder, "other"));
  const file = path.join(folder, "other", "variables.json");
  writeFileSync(file, JSON.stringify({ PATH: "/evil", [SECRET]: "a" }));
  expect(hideSecrets({ environment: { PERAGO_HANDOVER: file }, replace })).toEqual({ [SECRET]: "a" });
  expect(readFileSync(file, "utf8")).toContain("evil");
});
