export { createClock } from "./clock.ts";
export type { Clock, ControlledClock, Timer } from "./clock.ts";
export type { ConductorControls } from "./conductor/engine/controls.ts";
export { startEmulator } from "./emulator.ts";
export type { ConductorEndpoint, Emulator, EmulatorOptions, LakefsEndpoint } from "./emulator.ts";
export type { ActiveFault, FaultControls } from "./faults/controls.ts";
export type { Fault, FaultAction, RequestMatch, SeenRequest, ServerName } from "./faults/rule.ts";
export type { LakefsCredentials } from "./lakefs/index.ts";
