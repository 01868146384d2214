import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  clientEnvironment,
  newSettings,
  parseSettings,
  readSettings,
  renderEnvironment,
  secretsOf,
  writeSettings,
} from "./instance.ts";
import { instanceLayout, stackHome } from "./layout.ts";
import { redact } from "./redact.ts";
import { lakefsConfig } from "./server-plan.ts";

let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "perago-instance-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const ports = { lakefsPort: 8000, conductorPort: 8080 };

it("prints exactly the five names that clients read", () => {
  const settings = { ...ports, accessKeyId: "AKIA1", secretAccessKey: "s3cret", encryptSecretKey: "e" };
  expect(renderEnvironment(clientEnvironment(settings, "/cache/lakectl"))).toBe(
    [
      "CONDUCTOR_SERVER_URL=http://127.0.0.1:8080/api",
      "LAKECTL_SERVER_ENDPOINT_URL=http://127.0.0.1:8000",
      "LAKECTL_CREDENTIALS_ACCESS_KEY_ID=AKIA1",
      "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY=s3cret",
      "LAKECTL_PATH=/cache/lakectl",
      "",
    ].join("\n"),
  );
});

it("gives every instance credentials of its own and keeps them from other users", async () => {
  const [one, two] = [newSettings(ports), newSettings(ports)];
  expect(one.secretAccessKey).not.toBe(two.secretAccessKey);
  expect(one.accessKeyId).not.toBe(two.accessKeyId);
  // lakeFS refuses access keys of another form, and a shell must be able to source the lines.
  expect(one.accessKeyId).toMatch(/^AKIA[A-Z0-9]{16}$/);
  expect(one.secretAccessKey).toMatch(/^[A-Za-z0-9_-]{40}$/);
  const layout = { ...instanceLayout(home, "a"), settingsFile: join(home, "a.json") };
  expect(await readSettings(layout)).toBe(undefined);
  await writeSettings(layout, one);
  expect(await readSettings(layout)).toEqual(one);
  expect((await stat(layout.settingsFile)).mode & 0o777).toBe(0o600);
  await writeFile(layout.settingsFile, "{");
  await expect(readSettings(layout)).rejects.toMatchObject({ code: "SETTINGS_UNREADABLE", exitCode: 2 });
});

it("refuses settings that lack a field or have one of another type", () => {
  const good = newSettings(ports);
  expect(parseSettings(JSON.stringify(good))).toEqual(good);
  for (const name of Object.keys(good)) {
    expect(parseSettings(JSON.stringify({ ...good, [name]: undefined }))).toBe(undefined);
    expect(parseSettings(JSON.stringify({ ...good, [name]: null }))).toBe(undefined);
  }
  expect(parseSettings("null")).toBe(undefined);
});

it("takes secrets out of a text, longer ones first", () => {
  expect(redact("key=abc abcdef abc", ["abc", "abcdef", ""])).toBe("key=[secret] [secret] [secret]");
  const settings = newSettings(ports);
  const printed = redact(lakefsConfig("/data", settings), secretsOf(settings));
  expect(printed).not.toContain(settings.secretAccessKey);
  expect(printed).not.toContain(settings.encryptSecretKey);
});

it("keeps all of lakeFS' files below its folder and listens on loopback only", () => {
  const config = JSON.parse(lakefsConfig("/cache/x/lakefs", newSettings(ports)));
  expect(config.listen_address).toBe("127.0.0.1:8000");
  const paths = [config.database.local.path, config.blockstore.local.path, config.committed.local_cache.dir];
  expect(paths.every((path: string) => path.startsWith("/cache/x/lakefs/"))).toBe(true);
  expect(config.stats.enabled).toBe(false);
});

it("finds the cache folder as the README says", () => {
  expect(stackHome({ PERAGO_STACK_HOME: "/own", XDG_CACHE_HOME: "/xdg" })).toBe("/own");
  expect(stackHome({ PERAGO_STACK_HOME: "", XDG_CACHE_HOME: "/xdg" })).toBe("/xdg/perago");
  expect(stackHome({ XDG_CACHE_HOME: "relative" })).toMatch(/\/\.cache\/perago$/);
});
