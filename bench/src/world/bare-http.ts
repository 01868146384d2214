import { once } from "node:events";
import { Agent, request } from "node:http";
import { realServers } from "@perago/e2e/support/settings.ts";

/** Plain requests to lakeFS over one kept connection: nothing of our client in between. */
export interface BareLakefs {
  /** Sends one request below `/api/v1` and reads the answer; throws where it is no success. */
  send(method: string, path: string, body?: string | Buffer): Promise<string>;
  close(): void;
}

/** Opens it. JSON goes as text, object bytes as a Buffer. */
export function openBareLakefs(): BareLakefs {
  const { lakefsUrl, accessKeyId, secretAccessKey } = realServers();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`;
  return {
    async send(method, path, body = "") {
      const type = typeof body === "string" ? "application/json" : "application/octet-stream";
      const headers = { authorization, "content-type": type, "content-length": Buffer.byteLength(body) };
      const sent = request(`${lakefsUrl}/api/v1${path}`, { method, agent, headers });
      sent.end(body);
      const [answer] = await once(sent, "response");
      let text = "";
      for await (const chunk of answer.setEncoding("utf8")) text += String(chunk);
      if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
      return text;
    },
    close: () => agent.destroy(),
  };
}
