import type { styleText } from "node:util";
import { short, type Row } from "./history.ts";

/** Paints a piece of text where the terminal takes colour. */
export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

const MAX_TEXT = 110;

/** The history as a picture of lines, newest first. */
export function historyPicture(rows: readonly Row[], paint: Paint): string[] {
  const lines = rows.flatMap((row, index) => [...rowLines(row, paint), ...(index === rows.length - 1 ? [] : ["  │"])]);
  return lines.map((line) => (line === "  │" ? paint("dim", line) : line));
}

function rowLines(row: Row, paint: Paint): string[] {
  switch (row.kind) {
    case "start":
      return [`  ${paint("dim", `○ ${short(row.id)}  start      ${plain(row.message)}`)}`];
    case "foreign":
      return [`  ${paint("yellow", `◆ ${short(row.id)}  foreign`)}    "${plain(row.message)}"`];
    case "confirm":
      return [`  ${paint("green", `● ${short(row.id)}  confirm`)}    ${attempt(row)}`];
    case "supersede":
      return [`  ${paint("green", `● ${short(row.id)}  supersede`)}  ${attempt(row)}, over ${short(row.over)}`];
    case "refused":
      return [
        `  ${paint("dim", "│")} ${paint("red", "✗         refused")}    ${attempt(row)}`,
        ...wrap(plain(shortIds(row.reason)), MAX_TEXT - 15).map(
          (line) => `  ${paint("dim", "│")}              ${line}`,
        ),
      ];
  }
}

function attempt(row: { task: string; retryCount: number; workflowId: string; taskId: string }): string {
  const { task, retryCount, workflowId, taskId } = row;
  return `${plain(task)}  attempt ${retryCount}  workflow ${short(workflowId)}  task ${short(taskId)}`;
}

function shortIds(text: string): string {
  return text.replace(/\b[0-9a-f]{64}\b/g, (id) => short(id));
}

/** No control character of a name or message reaches the terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}

/** Words in lines of at most `width` characters; a longer word has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
