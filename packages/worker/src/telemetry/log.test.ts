import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test, vi } from "vitest";
import { createCounters } from "./counters.ts";
import { createLogger, type LoggerOptions, type LogSink } from "./log.ts";
import { prettyLine } from "./pretty.ts";
import { createRedactor, redact } from "./redact.ts";
import { createFdSink } from "./stderr-sink.ts";

function recorder(): LogSink & { readonly lines: string[] } {
  const lines: string[] = [];
  return { lines, write: (line) => lines.push(line) > 0 };
}

function logged(options: Partial<LoggerOptions>, write: (log: ReturnType<typeof createLogger>) => void): unknown[] {
  const sink = recorder();
  write(createLogger({ sinks: [sink], level: "debug", nowMs: () => 0, ...options }));
  return sink.lines.map((line): unknown => JSON.parse(line));
}

describe("createLogger", () => {
  test("one line an event, with level, time, message and fields; later fields win", () => {
    const lines = logged({ fields: { host: "h" } }, (log) => log.child({ a: 1, b: 1 }).warn("hello", { b: 2 }));
    expect(lines).toEqual([{ level: "warn", time: "1970-01-01T00:00:00.000Z", host: "h", a: 1, b: 2, msg: "hello" }]);
  });

  test("lines below the level are dropped", () => {
    expect(logged({ level: "warn" }, (log) => log.info("x"))).toEqual([]);
  });

  property.prop([fc.string({ unit: "binary" }), fc.dictionary(fc.string(), fc.string({ unit: "binary" }))])(
    "fault J5: no message and no field can end the line, steer a terminal, or pass for level, time or message",
    (message, fields) => {
      const sink = recorder();
      createLogger({ sinks: [sink], nowMs: () => 0 }).error(message, fields);
      expect(sink.lines).toHaveLength(1);
      expect(sink.lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
      expect(JSON.parse(sink.lines[0] ?? "")).toMatchObject({ level: "error", time: "1970-01-01T00:00:00.000Z" });
    },
  );

  test("what cannot be shown loses that line only: getters that throw; cycles and bigints are shown", () => {
    const counters = createCounters();
    const ring: Record<string, unknown> = {};
    ring["ring"] = ring;
    const trap = {
      get value(): string {
        throw new Error("no");
      },
    };
    const lines = logged({ counters }, (log) => {
      log.info("trap", { trap });
      log.info("ring", { ring, big: 1n, error: new TypeError("bad") });
    });
    expect(lines.at(-1)).toMatchObject({ msg: "ring", error: { name: "TypeError", message: "bad" } });
  });

  test("a giant line is cut and still JSON", () => {
    const lines = logged({}, (log) => log.info("x", { list: Array.from({ length: 150 }, () => "y".repeat(1_000)) }));
    expect(JSON.stringify(lines[0]).length).toBeLessThan(64 * 1024);
  });

  test("a sink that loses lines is counted and says so when it works again", () => {
    const counters = createCounters();
    const lines: string[] = [];
    let isFull = true;
    const sink: LogSink = {
      write: (line) => {
        if (!isFull) lines.push(line);
        return !isFull;
      },
    };
    const log = createLogger({ sinks: [sink], counters });
    log.info("one");
    log.info("two");
    isFull = false;
    log.info("three");
    expect(counters.snapshot()).toEqual([{ name: "log_lines_lost", labels: {}, value: 2 }]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: "log lines were lost", lostCount: 2 },
      { msg: "three" },
    ]);
  });
});

describe("redact", () => {
  const secrets = ["AKIAEXAMPLE", 'wJalr/"EXAMPLE\\KEY'];
  const [key = "", secret = ""] = secrets;
  test.each([
    ["plain", `key ${key} and ${secret}`],
    ["in JSON", JSON.stringify({ secret })],
    ["basic authorization", `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`],
    ["base64", Buffer.from(secret).toString("base64")],
    ["in a URL", `http://host/?k=${encodeURIComponent(secret)}`],
  ])("rule R3: a known secret is replaced in every form: %s", (_form, text) => {
    const clean = redact(text, secrets);
    expect(clean).toContain("[redacted]");
    for (const form of [key, secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      expect(clean).not.toContain(form);
    }
    expect(clean).not.toMatch(/[A-Za-z0-9+/]{20,}/);
  });

  test.each([
    ["GET http://s3/bucket/key?X-Amz-Signature=abc&y=1#frag failed", "GET http://s3/bucket/key?[redacted]#frag failed"],
    ["https://user:pass@host/p", "https://[redacted]@host/p"],
    ["lakefs://repo/main/a?b", "lakefs://repo/main/a?[redacted]"],
    ["is this all? yes", "is this all? yes"],
    ["http://127.0.0.1:8080/api/tasks", "http://127.0.0.1:8080/api/tasks"],
  ])("rule R3: queries and user parts of URLs are replaced, the rest stays: %s", (text, clean) => {
    expect(redact(text, [])).toBe(clean);
  });

  test("values under four characters are no secrets", () => {
    expect(redact("a b abc", ["a", "", "abc"])).toBe("a b abc");
  });

  property.prop([fc.string(), fc.string({ minLength: 4, maxLength: 40 }), fc.string()])(
    "a secret never stands in the text afterwards, unless the mark itself holds it",
    (before, value, after) => {
      fc.pre(!"[redacted]".includes(value) && !value.includes("[") && !value.includes("]"));
      const clean = createRedactor([value]).redact(`${before} ${value} ${after}`);
      expect(clean.replaceAll("[redacted]", "")).not.toContain(` ${value} `);
    },
  );
});

describe("stderr", () => {
  test("fault J5: a pipe that is closed costs lines, and nothing is thrown", async () => {
    const sink = createFdSink({
      write: (_bytes, done) => setImmediate(done, Object.assign(new Error("x"), { code: "EPIPE" }), 0),
    });
    expect(sink.write("one")).toBe(true);
    await sink.flush();
    expect(sink.write("two")).toBe(false);
  });

  test("fault J5: a pipe that nobody reads takes a bounded number of lines, and write never blocks", () => {
    const sink = createFdSink({ write: () => {} });
    let acceptedCount = 0;
    while (acceptedCount < 100_000 && sink.write("x".repeat(1_000))) acceptedCount += 1;
    expect(acceptedCount).toBeGreaterThan(500);
    expect(acceptedCount).toBeLessThan(1_100);
  });

  test("short writes are gone on with, in order", async () => {
    let text = "";
    const sink = createFdSink({
      write: (bytes, done) => {
        const part = bytes.subarray(0, 3);
        text += part.toString();
        setImmediate(done, null, part.length);
      },
    });
    sink.write("hello world");
    sink.write("again");
    await sink.flush();
    expect(text).toBe("hello world\nagain\n");
  });

  test("a line alone is written at once; those that follow closely share a write, in order, and a flush waits for all", async () => {
    const writes: string[] = [];
    const sink = createFdSink({
      write: (bytes, done) => {
        writes.push(bytes.toString());
        setImmediate(done, null, bytes.length);
      },
    });
    sink.write("first");
    expect(writes).toEqual(["first\n"]);
    await sink.flush();
    for (const line of ["a", "b", "c"]) sink.write(line);
    expect(writes).toHaveLength(1);
    await vi.waitFor(() => expect(writes).toEqual(["first\n", "a\nb\nc\n"]), { timeout: 5_000 });
    sink.write("last");
    await sink.flush();
    expect(writes.at(-1)).toBe("last\n");
  });

  test("a terminal shows one line for people, in which nothing can steer it", () => {
    const json = JSON.stringify({
      level: "info",
      time: "2026-11-30T10:11:12.345Z",
      msg: "a\nb\u001b[31m",
      task: "x",
      n: 1,
    });
    const pretty = prettyLine(json);
    expect(pretty).toContain("10:11:12.345");
    expect(pretty).toContain("a\\u000ab\\u001b[31m");
    expect(pretty).toContain("task=x n=1");
    expect(pretty).not.toContain("\n");
  });
});

test("counters add up by name and labels, in a stable order", () => {
  const counters = createCounters();
  counters.increment("publish_race", { task: "a" });
  counters.increment("publish_race", { task: "a" }, 2);
  counters.increment("cleanup_failed");
  expect(counters.snapshot()).toEqual([
    { name: "cleanup_failed", labels: {}, value: 1 },
    { name: "publish_race", labels: { task: "a" }, value: 3 },
  ]);
});
