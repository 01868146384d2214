import * as fc from "fast-check";
import { CANARY, hostileText } from "./hostile.ts";

/** An HTTP answer as it goes over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  /** The server closes after it. */
  readonly isLast: boolean;
  /** Status line, length and body are what they say: a client may believe them. */
  readonly isWhole: boolean;
}

const STATUSES = [
  200, 201, 204, 301, 302, 304, 400, 401, 403, 404, 408, 409, 410, 412, 413, 416, 423, 429, 499, 500, 502, 503, 504,
];
const headerText = hostileText.map((text) => text.replaceAll(/[\r\n]/g, " ").slice(0, 200));
const headers = fc.array(
  fc.tuple(
    fc.constantFrom("Retry-After", "Location", "Content-Type", "X-Echo", "Set-Cookie", "WWW-Authenticate"),
    headerText,
  ),
  { maxLength: 3 },
);
/** How it travels: whole, cut short, by chunks, with a wrong length, or as something that is no HTTP. */
const travel = fc.constantFrom(
  "whole",
  "whole",
  "whole",
  "cut",
  "chunked",
  "bad_chunk",
  "long",
  "garbage",
  "split_head",
);

const echoes = [
  "{{head}}",
  `{"message":"{{head}}"}`,
  `{"message":"http://store/x?X-Amz-Signature=${encodeURIComponent(CANARY)}"}`,
];

/** Every status with every body and way to travel. */
export function answers(body: fc.Arbitrary<string>): fc.Arbitrary<WireAnswer> {
  const anyBody = fc.oneof({ weight: 6, arbitrary: body }, { weight: 1, arbitrary: fc.constantFrom(...echoes) });
  return fc
    .tuple(fc.oneof(fc.constant(200), fc.constantFrom(...STATUSES)), anyBody, headers, travel, fc.boolean())
    .map(([status, text, named, way, isLast]) => {
      const bytes = wire({ status, text, named, way });
      // An answer without a length ends with its connection.
      const ends = isLast || way !== "whole" || text.includes("{{head}}");
      return { status, bytes, isLast: ends, isWhole: way === "whole" || way === "chunked" };
    });
}

interface Parts {
  readonly status: number;
  readonly text: string;
  readonly named: readonly (readonly [string, string])[];
  readonly way: string;
}

function wire({ status, text, named, way }: Parts): Buffer {
  const payload = Buffer.from(text);
  const lines = [`HTTP/1.1 ${status} {{x}}`, ...named.map(([name, value]) => `${name}: ${value}`)];
  const hasNoBody = status === 204 || status === 304;
  if (way === "garbage") return Buffer.concat([Buffer.from("HTTP/9.9 zzz\r\n"), payload]);
  if (way === "split_head") return Buffer.from(`HTTP/1.1 ${status} OK\r\nX: a\r\n\u0000bad\r\n\r\n`);
  if (way === "chunked" || way === "bad_chunk") {
    const size = way === "chunked" ? payload.length.toString(16) : "zz";
    const chunk = payload.length === 0 ? "" : `${size}\r\n`;
    const head = Buffer.from([...lines, "Transfer-Encoding: chunked", "", chunk].join("\r\n"), "latin1");
    return Buffer.concat([head, payload, Buffer.from(payload.length === 0 ? "0\r\n\r\n" : "\r\n0\r\n\r\n")]);
  }
  const length =
    way === "cut" ? payload.length + 10 : way === "long" ? Math.max(0, payload.length - 3) : payload.length;
  const lengthLine = text.includes("{{head}}") || hasNoBody ? [] : [`Content-Length: ${length}`];
  return Buffer.concat([
    Buffer.from([...lines, ...lengthLine, "", ""].join("\r\n"), "latin1"),
    hasNoBody ? Buffer.alloc(0) : payload,
  ]);
}
