import { styleText } from "node:util";

/** A stream that text goes to; whether it takes colour is its own matter. */
export interface Output {
  write(text: string): void;
  /** Text in the style where the stream is a terminal; NO_COLOR and FORCE_COLOR are honoured. */
  paint(style: Style, text: string): string;
}

/** What a piece of text means. */
export type Style = "ok" | "warning" | "error" | "name" | "faint";

const FORMATS = { ok: "green", warning: "yellow", error: "red", name: "bold", faint: "dim" } as const;

/** The output on a stream of the process. Writing to a pipe whose reader has left is ignored. */
export function streamOutput(stream: NodeJS.WriteStream): Output {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    write: (text) => {
      if (!stream.destroyed) stream.write(text);
    },
    paint: (style, text) => styleText(FORMATS[style], text, { stream }),
  };
}

/** Columns filled up with spaces, two between; the last one is left as it is. Styles are applied after measuring. */
export function alignRows(rows: readonly (readonly string[])[]): string[][] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  return rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))),
  );
}
