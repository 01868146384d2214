import { afterAll, beforeAll } from "vitest";
import { Client } from "./client.ts";
import type { LakefsTarget } from "./target.ts";

let client: Client | undefined;

/** Starts the server under test before the file's tests, and ends it after them. One a test file. */
export function useTarget(make: () => Promise<LakefsTarget>): void {
  let target: LakefsTarget | undefined;
  beforeAll(async () => {
    target = await make();
    client = new Client(target);
  });
  afterAll(async () => {
    client = undefined;
    await target?.close();
  });
}

/** The client of the server under test; it is there when tests run, not when they are declared. */
export function lakefs(): Client {
  if (client === undefined) throw new Error("the server under test is not there");
  return client;
}
