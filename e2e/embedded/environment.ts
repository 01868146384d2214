import { inject } from "vitest";

// vitest's set-up of each file: what the suites read from the environment when the servers are real ones.
for (const [name, value] of Object.entries(inject("embeddedServers"))) process.env[name] = value;
