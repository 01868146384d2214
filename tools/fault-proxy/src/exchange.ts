import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Deed, Wait } from "./deed.ts";

/** One request on its way, and the client that waits for its answer. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly url: URL;
  readonly target: URL;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Does to a request what is to be done. Rejects where the server does not answer. */
export async function perform(deed: Deed, exchange: Exchange): Promise<void> {
  const { outgoing } = exchange;
  if (deed.kind === "answer") return tell(outgoing, deed);
  if (deed.kind === "drop_request") return reset(outgoing);
  if (deed.kind === "delay_request") await passed(deed.until);
  let answer = await forward(exchange);
  if (deed.kind === "repeat_request") answer = await forward(exchange);
  if (deed.kind === "delay_answer") await passed(deed.until);
  if (deed.kind === "drop_answer") return reset(outgoing);
  if (deed.kind === "replace_answer") return tell(outgoing, deed);
  outgoing.writeHead(answer.status, answer.headers);
  if (deed.kind !== "cut_answer") return void outgoing.end(answer.body);
  outgoing.write(answer.body.subarray(0, deed.afterBytes), () => reset(outgoing));
}

/** The whole body of a message. */
export async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function tell(outgoing: ServerResponse, { status, body }: { readonly status: number; readonly body: string }): void {
  outgoing.writeHead(status, { "content-type": "application/json" }).end(body);
}

function reset(outgoing: ServerResponse): void {
  outgoing.socket?.resetAndDestroy();
}

async function passed(until: Wait): Promise<void> {
  if (typeof until === "number") await pause(until);
  else await (typeof until === "function" ? until() : until);
}

/** Sends a request on, on a connection of its own, and reads the whole answer. */
function forward({ incoming, body, url, target }: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { connection: _, "transfer-encoding": __, ...headers } = incoming.headers;
    const options = {
      host: target.hostname,
      port: target.port,
      method: incoming.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, "content-length": String(body.length) },
      agent: false as const,
    };
    const sent = httpRequest(options, (answer) => {
      readAll(answer).then((bytes) => {
        const { connection: ___, "transfer-encoding": ____, ...rest } = answer.headers;
        resolve({ status: answer.statusCode ?? 502, headers: rest, body: bytes });
      }, reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
