import type { Client } from "./client.ts";

/** The client of the server under test; it is there when tests run, not when they are declared. */
export type Lakefs = () => Client;
