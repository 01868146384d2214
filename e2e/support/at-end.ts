import { afterAll, onTestFinished, TestRunner } from "vitest";

/**
 * Runs `release` when what made the thing is over: the test it was made in, or else the test file. Last made, first
 * released.
 */
export function atEnd(release: () => Promise<void> | void): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(release);
  else onTestFinished(release);
}
