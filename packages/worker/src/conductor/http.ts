import { isClosedConnection, refusal, transportError } from "./classify.ts";
import { Deadline } from "./deadline.ts";
import { ConductorError } from "./errors.ts";
import { createExchanger, type ConductorAnswer, type ConductorRequest, type Exchanger } from "./exchange.ts";
import type { TokenSource } from "./token.ts";

/** A read whose kept connection was closed under it is sent again at once, this often. */
const CLOSED_CONNECTION_REPEATS = 1;

/**
 * Sends one request and reads its whole answer. Throws `ConductorError`; repeats nothing but reads on a closed
 * connection.
 */
export interface ConductorHttp {
  /** Server URL without a trailing slash, for messages. */
  readonly origin: string;
  send(request: ConductorRequest): Promise<ConductorAnswer>;
  /** Closes the connections; what is under way ends without an answer. */
  close(): Promise<void>;
}

/**
 * The bounded layer below everything that talks to Conductor. The SDK's own requests repeat up to 3 times after a
 * broken connection and 5 times after a 429, sleep between without looking at a signal, and share one time limit of the
 * whole client; a heartbeat or a result must be sent once and end when we say (rules R4, R8). So the SDK gives the
 * tokens, and requests go through here.
 */
export function createConductorHttp(options: {
  /** Ends in `/api` as a rule; a trailing slash is dropped. */
  readonly serverUrl: string;
  readonly tokens?: TokenSource;
}): ConductorHttp {
  const origin = options.serverUrl.replace(/\/+$/, "");
  const { tokens } = options;
  const exchanger = createExchanger(origin);
  return {
    origin,
    close: () => exchanger.close(),
    async send(request) {
      const deadline = new Deadline(request.timeoutMs);
      const what = `${request.method} ${request.path}`;
      try {
        const first = await repeated(exchanger, request, deadline, await tokens?.current(deadline.signal));
        if (tokens === undefined || !asksForFreshToken(first)) return judge(origin, request, what, first);
        // One fresh token, then the refusal stands (case A06).
        const second = await repeated(exchanger, request, deadline, await tokens.renew(deadline.signal));
        return judge(origin, request, what, second);
      } catch (error) {
        if (error instanceof ConductorError) throw error;
        throw transportError(what, origin, error, deadline.isOver ? request.timeoutMs : undefined);
      } finally {
        deadline.clear();
      }
    },
  };
}

function asksForFreshToken(answer: ConductorAnswer): boolean {
  if (answer.status === 401) return true;
  return answer.status === 403 && /"(EXPIRED|INVALID)_TOKEN"/.test(answer.text);
}

function judge(origin: string, request: ConductorRequest, what: string, answer: ConductorAnswer): ConductorAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  if (request.accept?.includes(answer.status) === true) return answer;
  throw refusal(what, origin, answer.status, answer.text);
}

async function repeated(
  exchanger: Exchanger,
  request: ConductorRequest,
  deadline: Deadline,
  token: string | undefined,
): Promise<ConductorAnswer> {
  const repeats = request.method === "GET" && !request.path.startsWith("/tasks/poll/") ? CLOSED_CONNECTION_REPEATS : 0;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await exchanger.exchange(request, deadline, token);
    } catch (error) {
      if (attempt < repeats && isClosedConnection(error) && !deadline.isOver) continue;
      throw error;
    }
  }
}
