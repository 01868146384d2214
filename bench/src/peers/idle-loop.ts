import { monitorEventLoopDelay } from "node:perf_hooks";

// The peer of bench B7: a Node process that does nothing but watch its own event loop, in windows as the host has them.
const RESOLUTION_MS = 20;
const WINDOW_MS = 5000;

let histogram = begin();

function begin(): ReturnType<typeof monitorEventLoopDelay> {
  const made = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  made.enable();
  return made;
}

function tell(): void {
  const next = begin();
  histogram.disable();
  const p99Seconds = Math.max(0, histogram.percentile(99) / 1e9 - RESOLUTION_MS / 1000);
  const line = { msg: "event loop", time: new Date().toISOString(), p99Seconds };
  if (histogram.count > 0) process.stdout.write(`${JSON.stringify(line)}\n`);
  histogram = next;
}

setInterval(tell, WINDOW_MS);
process.once("SIGTERM", () => {
  tell();
  process.exit(0);
});
