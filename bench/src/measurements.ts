import type { Measurement } from "./measurement.ts";
import { eventLoop } from "./rows/event-loop.ts";
import { fenceSize } from "./rows/fence-size.ts";
import { history } from "./rows/history.ts";
import { hundredThousandFiles } from "./rows/hundred-thousand-files.ts";
import { largeFile } from "./rows/large-file.ts";
import { millionKeys } from "./rows/million-keys.ts";
import { noopTasks } from "./rows/noop-tasks.ts";
import { pythonPeer } from "./rows/python-peer.ts";
import { requests } from "./rows/requests.ts";
import { smallFile } from "./rows/small-file.ts";
import { startUp } from "./rows/start-up.ts";
import { thousandFiles } from "./rows/thousand-files.ts";

/** All measurements, in the order of the table. */
export const measurements: readonly Measurement[] = [
  thousandFiles,
  hundredThousandFiles,
  largeFile,
  smallFile,
  noopTasks,
  eventLoop,
  history,
  requests,
  pythonPeer,
  startUp,
  fenceSize,
  millionKeys,
];

/** Those that measure one of the ids; a row's id stands for its further figures too. */
export function chooseMeasurements(ids: readonly string[], all = measurements): readonly Measurement[] {
  if (ids.length === 0) return all;
  const known = all.flatMap(({ rows }) => rows.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.some((each) => isOf(each, id)));
  if (unknown.length > 0) throw new TypeError(`no row ${unknown.join(", ")}; rows are ${known.join(", ")}`);
  return all.filter(({ rows }) => rows.some((row) => ids.some((id) => isOf(row.id, id))));
}

/** Whether a line is the row, or a further figure of it. */
export function isOf(lineId: string, rowId: string): boolean {
  return lineId === rowId || lineId.startsWith(`${rowId}/`);
}
