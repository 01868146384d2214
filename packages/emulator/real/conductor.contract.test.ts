import { describe } from "vitest";
import { conductorContract } from "../contract/conductor/index.ts";

describe("the Conductor contract holds for the real server", () => {
  conductorContract(async () => {
    const url = process.env["CONDUCTOR_SERVER_URL"];
    if (url === undefined || url === "")
      throw new Error("CONDUCTOR_SERVER_URL is not set: start the real servers (pnpm stack)");
    return { url: url.replace(/\/+$/, ""), close: async () => undefined };
  });
});
