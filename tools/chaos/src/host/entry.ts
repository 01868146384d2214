import { once } from "node:events";
import { describeModules, parseSettings, readVariables, runHost, systemClock } from "@perago/worker";
import { breakPorts } from "./broken.ts";
import { gatedPorts, type Gate } from "./gates.ts";
import { toHostShape, type ExecutionName, type FromHost } from "./messages.ts";

// A production host with a stop before and after each step of an attempt; the controller of the chaos run forks it.
const [modulePath = "", slotCount = "1", breakage = ""] = process.argv.slice(2);

function send(message: FromHost): void {
  if (process.connected) process.send?.(message);
}

const waiting = new Map<number, () => void>();
let gateCount = 0;
const gate: Gate = (stop) => {
  gateCount += 1;
  const number = gateCount;
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(number, resolve);
  send({ type: "gate", gate: number, ...stop });
  return promise;
};
process.on("message", (message) => {
  const { go } = toHostShape.parse(message);
  waiting.get(go)?.();
  waiting.delete(go);
});
// Without its controller nobody would ever say "go on".
process.on("disconnect", () => process.exit(1));

const variables = readVariables(process.cwd());
const { settings } = parseSettings({
  variables,
  flags: { jobs: slotCount },
  needs: { conductor: true, lakefs: true },
  surroundings: { cwd: process.cwd() },
});
const { tasks, findings } = await describeModules([modulePath], { clock: systemClock, environment: variables });
if (tasks.length === 0) throw new Error(findings.map(({ message }) => message).join("; "));
const note = (execution: ExecutionName, name: string, message: string): void =>
  send({ type: "note", execution, name, message });
const gated = gatedPorts(gate, note);
const host = await runHost({
  tasks,
  settings,
  environment: variables,
  // The stops see what the ports really say.
  interpose: (ports, owner) => breakPorts(breakage, gated(ports, owner), owner),
});
send({ type: "ready" });
// Fault H1: the first signal drains.
void once(process, "SIGTERM").then(() => host.drain());
await host.ended;
process.exit(0);
