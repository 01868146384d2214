export type { AttemptPorts } from "./attempt/driver.ts";
export type { InterposePorts, PortsOwner } from "./attempt/runner.ts";
export type { PhaseName } from "./attempt/machine/order.ts";
export type { Clock } from "./attempt/ports/clock.ts";
export { openConductor } from "./conductor/client.ts";
export type { ConductorClient, ConductorConnection } from "./conductor/client.ts";
export { ConductorError } from "./conductor/errors.ts";
export type { ConductorErrorCode } from "./conductor/errors.ts";
export { getTaskDef, registerTaskDefs } from "./conductor/task-defs.ts";
export type { RegisteredTaskDef } from "./conductor/task-defs.ts";
export { describeSettings } from "./config/describe.ts";
export type { SettingDescription } from "./config/describe.ts";
export { readVariables } from "./config/environment.ts";
export type { Variables } from "./config/environment.ts";
export { SettingsError } from "./config/finding.ts";
export type { SettingFinding } from "./config/finding.ts";
export type { Secret } from "./config/secret.ts";
export { parseSettings } from "./config/settings.ts";
export type {
  ConductorSettings,
  LakefsSettings,
  SettingFlags,
  SettingNeeds,
  Settings,
  Surroundings,
} from "./config/settings.ts";
export { probeHardFence, readHardFence, runHere, runHost, runLocally } from "./on-demand.ts";
export type { HostShow, RunHostOptions, RunningHost } from "./host/run-host.ts";
export type { EventLoopDelay } from "./telemetry/event-loop.ts";
export type { HostEnd } from "./host/host.ts";
export { PreflightError } from "./host/preflight.ts";
export type { PreflightFinding } from "./host/preflight.ts";
export { SlotPlanError, threadRefusal } from "./host/slots.ts";
export { HostLockError, takeHostLock } from "./workspace/host-lock.ts";
export type { HostLock } from "./workspace/host-lock.ts";
export type { Failure, FailureCode } from "./failure.ts";
export type { HardFenceAt } from "./lakefs/hard-fence.ts";
export type { LocalRunOptions } from "./local/run-locally.ts";
export type { LocalDrive, LocalRun } from "./local/drive-locally.ts";
export type { LocalLogLine } from "./local/line-log.ts";
export type { HereRunOptions } from "./local/run-here.ts";
export { createBranchStore } from "./sweep/branch-store.ts";
export type { BranchStore, NamedBranch } from "./sweep/branch-store.ts";
export type { KeepReason } from "./sweep/branch-fate.ts";
export { sweepBranches } from "./sweep/sweep-branches.ts";
export type { BranchContent, BranchSweep, BranchSweepReport, SweptBranch } from "./sweep/sweep-branches.ts";
export { openSweepMemory } from "./sweep/sweep-memory.ts";
export type { SweepMemory } from "./sweep/sweep-memory.ts";
export { systemClock } from "./system-clock.ts";
export { VERSION } from "./version.ts";
export { describeModules } from "./tasks/describe-modules.ts";
export type { DescribedModules, DescribeModulesOptions } from "./tasks/describe-modules.ts";
export type { TaskDescription, TaskFinding } from "./tasks/description.ts";
