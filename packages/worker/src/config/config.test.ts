import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect } from "vitest";
import { fc, it, test } from "@fast-check/vitest";
import { describeSettings } from "./describe.ts";
import { readVariables, type Variables } from "./environment.ts";
import { SettingsError } from "./finding.ts";
import { parseSettings, secretValues, type SettingFlags, type Settings } from "./settings.ts";
import { settingsSchema } from "./settings-schema.ts";
import { parseDurationMs, parseSizeBytes } from "./units.ts";

const around = { cwd: "/work", tmpdir: "/tmp", hostname: "build box.local", random: () => 0 };
const none = { conductor: false, lakefs: false };

function parse(variables: Variables, flags: SettingFlags = {}, needs = none): Settings {
  return parseSettings({ variables, flags, needs, surroundings: around }).settings;
}

function findings(
  variables: Variables,
  needs = none,
  flags: SettingFlags = {},
): readonly { name: string; message: string; hint: string }[] {
  try {
    parse(variables, flags, needs);
  } catch (error) {
    if (error instanceof SettingsError) return error.findings;
    throw error;
  }
  return [];
}

const full = {
  CONDUCTOR_SERVER_URL: "http://127.0.0.1:8080/api",
  CONDUCTOR_AUTH_KEY: "canary-key",
  CONDUCTOR_AUTH_SECRET: "canary-secret",
  LAKECTL_SERVER_ENDPOINT_URL: "http://127.0.0.1:8000",
  LAKECTL_CREDENTIALS_ACCESS_KEY_ID: "AKIA",
  LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: "canary-lakefs",
};

describe("settings", () => {
  it("has the documented defaults", () => {
    expect(parse({})).toEqual({
      workspaceRoot: "/tmp/perago/workspaces",
      workspaceMinFreeBytes: 536_870_912,
      workspaceGcTtlMs: 86_400_000,
      workspaceGcIntervalMs: 3_600_000,
      branchGcTtlMs: 604_800_000,
      branchGcIntervalMs: 21_600_000,
      cacheRoot: "/tmp/perago/cache",
      cacheMaxSizeBytes: 10_737_418_240,
      logRoot: "/tmp/perago/logs",
      logFileMaxSizeBytes: 104_857_600,
      logLevel: "info",
      logRetentionMs: 2_592_000_000,
      workerIdPrefix: "build-box.local-aaaaaa",
      executionMode: "process",
      hardFence: "auto",
      failureReasonMaxLength: 500,
      outputMaxSizeBytes: 3_000_000,
      slotsPerTask: 1,
      slotsByTask: new Map(),
      domainVariables: {},
    });
  });

  it("reads flags and variables; an empty variable is unset and a relative root is below the working folder", () => {
    const settings = parse(
      {
        ...full,
        PERAGO_WORKSPACE_ROOT: "ws",
        PERAGO_WORKSPACE_GC_TTL: "",
        PERAGO_LOG_FILE_MAX_SIZE: "1.5KB",
        PERAGO_SHUTDOWN_FORCE_KILL_AFTER: "5m",
        PERAGO_WORKER_ID_PREFIX: " w1 ",
        PERAGO_EXECUTION_MODE: "process",
        CONDUCTOR_WORKER_ALL_DOMAIN: "d",
      },
      { jobs: "4", slots: ["features.build=8", "a=b=2"], domain: "x" },
      { conductor: true, lakefs: true },
    );
    expect(settings).toMatchObject({
      workspaceRoot: "/work/ws",
      workspaceGcTtlMs: 86_400_000,
      logFileMaxSizeBytes: 1_536,
      shutdownForceKillAfterMs: 300_000,
      workerIdPrefix: "w1",
      slotsPerTask: 4,
      slotsByTask: new Map([
        ["features.build", 8],
        ["a=b", 2],
      ]),
      domain: "x",
      domainVariables: { CONDUCTOR_WORKER_ALL_DOMAIN: "d" },
      conductor: { serverUrl: full.CONDUCTOR_SERVER_URL },
      lakefs: { endpointUrl: full.LAKECTL_SERVER_ENDPOINT_URL, accessKeyId: "AKIA" },
    });
  });

  it("takes a size for the cache, and 0 for none", () => {
    const sizeOf = (text: string): number => parse({ PERAGO_CACHE_MAX_SIZE: text }).cacheMaxSizeBytes;
    expect([sizeOf("0"), sizeOf("512MB")]).toEqual([0, 536_870_912]);
    for (const text of ["0MB", "-1", "off", "10"]) {
      expect(findings({ PERAGO_CACHE_MAX_SIZE: text })).toMatchObject([{ name: "PERAGO_CACHE_MAX_SIZE" }]);
    }
  });

  it("lists everything that is wrong at once, each with its mend", () => {
    const found = findings(
      {
        CONDUCTOR_SERVER_URL: "ftp://x",
        CONDUCTOR_AUTH_KEY: "k",
        LAKECTL_SERVER_ENDPOINT_URL: "http://user:canary@host",
        PERAGO_WORKSPACE_GC_INTERVAL: "30d",
        PERAGO_LOG_FILE_MAX_SIZE: "100",
        PERAGO_LOG_RETENTION: "1w",
        PERAGO_LOG_LEVEL: "loud",
        PERAGO_EXECUTION_MODE: "fiber",
        PERAGO_FAILURE_REASON_MAX_LENGTH: "0",
        PERAGO_WORKER_ID_PREFIX: "-x",
        CONDUCTOR_TLS_INSECURE: "true",
      },
      { conductor: true, lakefs: true },
      { jobs: "0", slots: ["features.build"] },
    );
    expect(new Set(found.map((finding) => finding.name))).toEqual(
      new Set([
        "CONDUCTOR_SERVER_URL",
        "CONDUCTOR_AUTH_SECRET",
        "LAKECTL_SERVER_ENDPOINT_URL",
        "LAKECTL_CREDENTIALS_ACCESS_KEY_ID",
        "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY",
        "PERAGO_WORKSPACE_GC_INTERVAL",
        "PERAGO_LOG_FILE_MAX_SIZE",
        "PERAGO_LOG_RETENTION",
        "PERAGO_LOG_LEVEL",
        "PERAGO_EXECUTION_MODE",
        "PERAGO_FAILURE_REASON_MAX_LENGTH",
        "PERAGO_WORKER_ID_PREFIX",
        "CONDUCTOR_TLS_INSECURE",
        "-j",
        "--slots",
      ]),
    );
    for (const finding of found) {
      expect(finding.message.length).toBeGreaterThan(0);
      expect(finding.hint.length).toBeGreaterThan(0);
    }
    expect(JSON.stringify(found)).not.toContain("canary");
    expect(found.find((finding) => finding.name === "PERAGO_EXECUTION_MODE")?.hint).toBe("Use process or thread");
  });

  it("hosts with workspace-free tasks need no lakeFS settings, the others need all three", () => {
    expect(findings({ CONDUCTOR_SERVER_URL: full.CONDUCTOR_SERVER_URL }, { conductor: true, lakefs: false })).toEqual(
      [],
    );
    expect(
      findings({ CONDUCTOR_SERVER_URL: full.CONDUCTOR_SERVER_URL }, { conductor: true, lakefs: true }),
    ).toHaveLength(3);
    expect(findings({ LAKECTL_CREDENTIALS_ACCESS_KEY_ID: "a" })).toHaveLength(2);
  });

  it("rule I7: targets are patterns of repository/branch, and a bad one is named", () => {
    expect(parse({ PERAGO_ALLOWED_TARGETS: " songs/main , songs-?/release-*,*/*" }).allowedTargets).toEqual([
      "songs/main",
      "songs-?/release-*",
      "*/*",
    ]);
    expect(parse({ PERAGO_ALLOWED_TARGETS: " " }).allowedTargets).toBeUndefined();
    for (const bad of [
      "main",
      "lakefs://songs/main",
      "songs/a/b",
      "songs/",
      "/main",
      "songs/[ab]",
      "songs/feature.x",
    ]) {
      const found = findings({ PERAGO_ALLOWED_TARGETS: `songs/main,${bad}` });
      expect(found.map(({ name, message }) => `${name}: ${message}`)).toEqual([
        `PERAGO_ALLOWED_TARGETS: not a pattern of repository/branch: ${bad}`,
      ]);
      expect(found[0]?.hint).toContain("songs/main");
    }
    expect(findings({ PERAGO_ALLOWED_TARGETS: "songs/main,,b" })).toHaveLength(2);
  });

  it("rule X3: no staging branch is taken from an attempt that may still run", () => {
    expect(findings({ PERAGO_BRANCH_GC_TTL: "59m" })).toMatchObject([{ message: "shorter than 1h" }]);
    expect(parse({ PERAGO_BRANCH_GC_TTL: "60m" }).branchGcTtlMs).toBe(3_600_000);
  });

  it("case A04: no switch turns certificate checks off", () => {
    expect(findings({ CONDUCTOR_TLS_INSECURE: "1" })).toHaveLength(1);
    expect(findings({ CONDUCTOR_TLS_INSECURE: "false" })).toEqual([]);
    expect(findings({ NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toHaveLength(1);
  });

  it("trailing slashes and a missing /api give a hint and still work", () => {
    const variables = {
      ...full,
      CONDUCTOR_SERVER_URL: "http://h:1//",
      LAKECTL_SERVER_ENDPOINT_URL: "http://l:2/api/v1",
    };
    const { settings, warnings } = parseSettings({ variables, needs: none, surroundings: around });
    expect(settings.conductor?.serverUrl).toBe("http://h:1");
    expect(settings.lakefs?.endpointUrl).toBe("http://l:2");
    expect(warnings.map((warning) => warning.message)).toEqual([
      "does not end in /api",
      "ends in a slash, which is left out",
      "ends in /api/v1, which is left out",
    ]);
    expect(parseSettings({ variables: full, needs: none, surroundings: around }).warnings).toEqual([]);
  });

  it("case A01: secrets never print, and are listed for the log's redactor", () => {
    const settings = parse(full);
    const shown = [
      inspect(settings, { depth: 9, showHidden: true }),
      JSON.stringify(settings),
      String(settings.lakefs?.secretAccessKey),
    ];
    for (const text of shown) expect(text).not.toContain("canary");
    expect(secretValues(settings)).toEqual(["canary-key", "canary-secret", "canary-lakefs", "AKIA:canary-lakefs"]);
  });

  it("the table describes every variable of the schema, and its defaults are the schema's", () => {
    const variables = Object.keys(settingsSchema.shape).filter((name) => !name.startsWith("-"));
    const described = describeSettings().map((setting) => setting.name);
    expect(described.filter((name) => name !== "CONDUCTOR_WORKER_ALL_DOMAIN").toSorted()).toEqual(variables.toSorted());
    const written = describeSettings().filter(
      (setting) => setting.default !== undefined && !setting.default.includes("<"),
    );
    expect(parse(Object.fromEntries(written.map((setting) => [setting.name, setting.default])))).toEqual(parse({}));
  });

  it("default worker ids differ between two hosts of one name", () => {
    const prefix = (): string =>
      parseSettings({ variables: {}, needs: none, surroundings: { cwd: "/" } }).settings.workerIdPrefix;
    expect(prefix()).not.toBe(prefix());
  });
});

describe(".env", () => {
  it("stands below the environment, is optional, and changes nothing for children", async () => {
    const folder = await mkdtemp(join(tmpdir(), "perago-config-"));
    try {
      expect(readVariables(folder, { A: "1" })).toEqual({ A: "1" });
      await writeFile(join(folder, ".env"), 'A=file\nPERAGO_TEST_ONLY_B="two # words"\n# C=3\nexport D=4\n');
      expect(readVariables(folder, { A: "1" })).toEqual({ A: "1", PERAGO_TEST_ONLY_B: "two # words", D: "4" });
      expect(process.env["PERAGO_TEST_ONLY_B"]).toBeUndefined();
      await rm(join(folder, ".env"));
      await writeFile(join(folder, ".env.d"), "");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("units", () => {
  it.each([
    ["512KB", 524_288],
    ["1.5GB", 1_610_612_736],
    ["100 mb", 104_857_600],
    ["3000000B", 3_000_000],
    ["0MB", undefined],
    ["100", undefined],
    ["-1MB", undefined],
    ["1e3MB", undefined],
    ["99999999999999999GB", undefined],
  ])("size %s", (text, expected) => {
    expect(parseSizeBytes(text)).toBe(expected);
  });

  it.each([
    ["30s", 30_000],
    ["5m", 300_000],
    ["24H", 86_400_000],
    ["30d", 2_592_000_000],
    ["0s", undefined],
    ["1.5h", undefined],
    ["5", undefined],
    ["m", undefined],
  ])("duration %s", (text, expected) => {
    expect(parseDurationMs(text)).toBe(expected);
  });

  test.prop([fc.string()])("any text is a value above 0 or undefined, never NaN", (text) => {
    for (const value of [parseSizeBytes(text), parseDurationMs(text)]) {
      expect(value === undefined || (Number.isSafeInteger(value) && value > 0)).toBe(true);
    }
  });
});
