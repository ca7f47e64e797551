import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";

/**
 * Connections are kept and used again, newest first. `node:https` and not `fetch`: loading undici costs a function
 * about 50 ms of its cold start and every call several times the CPU.
 */
const agentOptions = { keepAlive: true, scheduling: "lifo", timeout: 60_000 } as const;
const agents = { "http:": new HttpAgent(agentOptions), "https:": new HttpsAgent(agentOptions) };

/** The other side did not answer in time. */
export class BackendTimeout extends Error {
  override readonly name = "BackendTimeout";
}

/** The other side cannot be reached, or the connection broke. */
export class BackendUnreachable extends Error {
  override readonly name = "BackendUnreachable";
}

/** The other side answered with a status that means failure. Its words are not kept: they may repeat the request. */
export class BackendRefusal extends Error {
  override readonly name = "BackendRefusal";
  readonly status: number;

  constructor(status: number) {
    super(`The model's server answered with status ${status}.`);
    this.status = status;
  }
}

/** What a request says before its body. */
export interface RequestHead {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A request with a body that is there already. */
export interface BackendRequest extends RequestHead {
  readonly body: string;
  /** How long the server may stay silent, before its first byte and between two bytes. */
  readonly silenceMilliseconds: number;
}

/** A request whose body is still to be written, and the answer to it. */
export interface Exchange {
  readonly request: ClientRequest;
  /** The head of the answer. Rejects with a BackendTimeout, a BackendUnreachable or the signal's reason. */
  readonly response: Promise<IncomingMessage>;
  /** Breaks off, in the request or in the answer; whoever waits for either gets the reason. */
  end(reason: Error): void;
}

/** Why a connection failed: a time-out as it is, everything else as a BackendUnreachable. */
export const connectionFailure = (cause: unknown): Error =>
  cause instanceof BackendTimeout || (cause instanceof Error && cause.name === "TimeoutError")
    ? cause
    : new BackendUnreachable("The connection failed.", { cause });

/** Opens a request; redirects will not be followed, and the signal destroys it or its answer with its reason. */
export const openExchange = ({ url, method, headers, signal }: RequestHead): Exchange => {
  signal.throwIfAborted();
  const secure = url.protocol === "https:";
  const agent = secure ? agents["https:"] : agents["http:"];
  const request = (secure ? requestHttps : requestHttp)(url, { method, agent, headers });
  let answer: IncomingMessage | undefined;
  // Once there is an answer, it is what must be destroyed. A request that is destroyed (by its own `signal` option too)
  // while its answer ends leaves its socket with an error that nothing listens to, which ends the process.
  const end = (reason: Error): void => {
    (answer ?? request).destroy(reason);
  };
  const abort = (): void => end(signal.reason);
  signal.addEventListener("abort", abort);
  request.once("close", () => signal.removeEventListener("abort", abort));
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.on("error", (error) => reject(signal.aborted ? signal.reason : connectionFailure(error)));
    request.once("response", (message) => {
      answer = message;
      resolve(message);
    });
  });
  return { request, response, end };
};

/**
 * Sends a request and resolves with the head of the answer; the body is still to be read.
 *
 * Redirects are not followed. A silence that lasts too long, also in the middle of the body, destroys the answer
 * with a BackendTimeout, and the signal destroys it with its reason.
 *
 * @throws BackendTimeout, BackendUnreachable, or the signal's reason.
 */
export const sendRequest = async (options: BackendRequest): Promise<IncomingMessage> => {
  const { headers, body, silenceMilliseconds } = options;
  const { request, response, end } = openExchange({
    ...options,
    headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
  });
  request.setTimeout(silenceMilliseconds, () => {
    end(new BackendTimeout(`The server was silent for ${silenceMilliseconds} ms.`));
  });
  request.end(body);
  return response;
};

/**
 * Reads a whole body of at most `maximumBytes`.
 *
 * @throws BackendTimeout, BackendUnreachable, or RangeError when the body is larger.
 */
export const readBody = async (response: IncomingMessage, maximumBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += chunk.length;
      if (size > maximumBytes) throw new RangeError(`The answer is larger than ${maximumBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    response.destroy();
    if (error instanceof RangeError) throw error;
    throw connectionFailure(error);
  }
  return Buffer.concat(chunks).toString("utf8");
};
