import { mkdtemp, rm } from "node:fs/promises";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as fc from "fast-check";
import { readVariables } from "../../src/config/environment.ts";
import { SettingsError } from "../../src/config/finding.ts";
import { parseSettings } from "../../src/config/settings.ts";
import { parseDurationMs, parseSizeBytes } from "../../src/config/units.ts";
import { demand, demandNoSecret, demandWords } from "../kit/judge.ts";
import { CANARY, hostileText } from "../kit/hostile.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const number = fc.oneof(fc.nat({ max: 99_999 }).map(String), fc.stringMatching(/^\d{0,20}(\.\d{0,8})?$/), hostileText);
const unit = fc.oneof(fc.constantFrom("B", "KB", "MB", "GB", "gb", "s", "m", "h", "d", "S"), hostileText);
const measure = fc.tuple(number, fc.constantFrom("", " ", "\t"), unit).map((parts) => parts.join(""));

const FACTORS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const TIMES: Readonly<Record<string, number>> = { S: 1000, M: 60_000, H: 3_600_000, D: 86_400_000 };

/** The meaning of a size or time, read letter by letter. */
function meaning(text: string, units: Readonly<Record<string, number>>): number {
  const trimmed = text.trim();
  let digits = 0;
  while (digits < trimmed.length && "0123456789.".includes(trimmed.charAt(digits))) digits += 1;
  const unitName = trimmed.slice(digits).trim().toUpperCase();
  const factor = Object.hasOwn(units, unitName) ? (units[unitName] ?? Number.NaN) : Number.NaN;
  return Number(trimmed.slice(0, digits)) * factor;
}

/** Sizes and times of the settings. */
export function unitsTarget(sizeOf = parseSizeBytes, durationOf = parseDurationMs): FuzzTarget {
  return fuzzTarget({
    name: "units",
    claim: "a size or a time is read as what it says, above 0 and exact, or not at all",
    share: 10,
    input: measure,
    check: (text) => {
      const sizeBytes = sizeOf(text);
      if (sizeBytes !== undefined) {
        demand(Number.isSafeInteger(sizeBytes) && sizeBytes > 0, "a size that is none", sizeBytes);
        demand(sizeBytes === Math.ceil(meaning(text, FACTORS)), `${JSON.stringify(text)} read as ${sizeBytes}`);
      }
      const durationMs = durationOf(text);
      if (durationMs === undefined) return;
      demand(Number.isSafeInteger(durationMs) && durationMs > 0, "a time that is none", durationMs);
      demand(durationMs === meaning(text, TIMES), `${JSON.stringify(text)} read as ${durationMs}`);
    },
  });
}

const address = fc.oneof(
  fc.constantFrom("http://127.0.0.1:8080/api", "https://lakefs.example/", "http://h:8000/api/v1"),
  fc.constantFrom(`http://user:${encodeURIComponent(CANARY)}@h/api`, "ftp://h", "http://h/?a=1", "javascript:alert(1)"),
  hostileText,
);
const secret = fc.oneof(
  fc.constant(CANARY),
  hostileText.map((text) => `${CANARY}${text}`),
);

// What is no secret, and a wrong one is shown.
const typed = hostileText.map((text) => text.replaceAll(CANARY, "x").replaceAll(encodeURIComponent(CANARY), "x"));

/** Names and values as an environment may hold them; what is left out is unset. */
const variables = fc.record(
  {
    CONDUCTOR_SERVER_URL: address,
    CONDUCTOR_AUTH_KEY: secret,
    CONDUCTOR_AUTH_SECRET: secret,
    LAKECTL_SERVER_ENDPOINT_URL: address,
    LAKECTL_CREDENTIALS_ACCESS_KEY_ID: hostileText,
    LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: secret,
    CONDUCTOR_TLS_INSECURE: fc.constantFrom("true", "0", "x"),
    NODE_TLS_REJECT_UNAUTHORIZED: fc.constantFrom("0", "1"),
    PERAGO_WORKSPACE_ROOT: hostileText,
    PERAGO_WORKSPACE_MIN_FREE: measure,
    PERAGO_WORKSPACE_GC_TTL: measure,
    PERAGO_WORKSPACE_GC_INTERVAL: measure,
    PERAGO_LOG_FILE_MAX_SIZE: measure,
    PERAGO_WORKER_ID_PREFIX: hostileText,
    PERAGO_EXECUTION_MODE: fc.oneof(fc.constant("process"), hostileText),
    PERAGO_FAILURE_REASON_MAX_LENGTH: number,
    PERAGO_OUTPUT_MAX_SIZE: measure,
    PERAGO_ALLOWED_TARGETS: fc.oneof(fc.constantFrom("repo/main", "repo/*,other/feature-?"), typed),
    PERAGO_LOG_LEVEL: fc.oneof(fc.constant("debug"), typed),
    PERAGO_SHUTDOWN_FORCE_KILL_AFTER: measure,
  },
  { requiredKeys: [] },
);
const flags = fc.record(
  { jobs: number, slots: fc.array(fc.oneof(typed, fc.constant("a=2")), { maxLength: 3 }), domain: typed },
  { requiredKeys: [] },
);

function demandAddress(text: string): void {
  const url = new URL(text);
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  demand(isPlain && /^https?:$/.test(url.protocol), "an address that is none", text);
}

/** Case A01, case A04: the one schema of flags and environment. */
export function settingsTarget(parse = parseSettings): FuzzTarget {
  return fuzzTarget({
    name: "settings",
    claim: "settings are sound values in their bounds, or one error that lists what is wrong and repeats no secret",
    share: 3,
    input: fc.tuple(variables, flags),
    check: ([set, given]) => {
      try {
        const { settings } = parse({
          variables: set,
          flags: given,
          needs: { conductor: false, lakefs: false },
          surroundings: { cwd: "/work", tmpdir: "/tmp", hostname: "h", random: () => 0.5 },
        });
        if (settings.conductor !== undefined) demandAddress(settings.conductor.serverUrl);
        if (settings.lakefs !== undefined) demandAddress(settings.lakefs.endpointUrl);
        demand(set.NODE_TLS_REJECT_UNAUTHORIZED !== "0", "checks of certificates were switched off");
        demand(isAbsolute(settings.workspaceRoot) && isAbsolute(settings.logRoot), "a root that is no path", settings);
        demand(/^[\w.-]{1,110}$/.test(settings.workerIdPrefix), "a wrong worker id", settings.workerIdPrefix);
        const bounded = [settings.slotsPerTask, settings.outputMaxSizeBytes, settings.workspaceGcIntervalMs];
        demand(
          bounded.every((value) => Number.isSafeInteger(value) && value > 0),
          "a number out of bounds",
          bounded,
        );
        demand(settings.workspaceGcIntervalMs < 2 ** 31, "an interval that fits no timer", settings);
        const counts = [...settings.slotsByTask.values()];
        demand(
          counts.every((count) => count >= 1 && count <= 9999),
          "slots out of bounds",
          counts,
        );
      } catch (error) {
        if (!(error instanceof SettingsError) && error instanceof Error && error.name === "Error") throw error;
        demand(error instanceof SettingsError && error.findings.length > 0, "not a SettingsError", error);
        for (const { message, hint } of error.findings) {
          demandWords(message, "a finding", 1300);
          demandWords(hint, "a hint", 300);
        }
        demandNoSecret(error);
      }
    },
  });
}

/** `.env`: anybody's text, below the environment. */
export function dotenvTarget(read = readVariables): FuzzTarget {
  let folder = "";
  const line = fc.oneof(
    fc.tuple(fc.stringMatching(/^[A-Z_]{1,8}$/), hostileText).map(([name, value]) => `${name}=${value}`),
    fc.tuple(hostileText, hostileText).map(([name, value]) => `export ${name} = "${value}" # ${value}`),
    hostileText,
  );
  return fuzzTarget({
    name: "dotenv",
    claim: "a .env gives texts below those of the environment, and changes neither the process nor any prototype",
    share: 2,
    input: fc.tuple(fc.array(line, { maxLength: 6 }), fc.stringMatching(/^[A-Z_]{1,8}$/)),
    open: async () => {
      folder = await mkdtemp(join(tmpdir(), "perago-fuzz-env-"));
      return () => rm(folder, { recursive: true, force: true });
    },
    check: ([lines, name]) => {
      writeFileSync(join(folder, ".env"), `${lines.join("\n")}\n${name}=file\n`);
      const found = read(folder, { [name]: "environment" });
      demand(found[name] === "environment", "the file won over the environment", found);
      for (const key of Object.keys(found)) demand(typeof found[key] === "string", `${key} is no text`, found);
      demand(Object.getPrototypeOf(found) === Object.prototype, "another prototype", found);
      demand(
        Reflect.get({}, "polluted") === undefined && Object.keys(Object.prototype).length === 0,
        "a prototype changed",
      );
    },
  });
}
