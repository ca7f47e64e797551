import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
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

/** An HTTP request to a model's server. */
export interface BackendRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long the server may stay silent, before its first byte and between two bytes. */
  readonly silenceMilliseconds: number;
  readonly signal: AbortSignal;
}

const unreachable = (cause: Error): Error =>
  cause instanceof BackendTimeout ? cause : new BackendUnreachable("The connection failed.", { cause });

/**
 * Sends a request and resolves with the head of the answer; the body is still to be read.
 *
 * Redirects are not followed. A silence that lasts too long, also in the middle of the body, destroys the answer
 * with a BackendTimeout.
 *
 * @throws BackendTimeout, BackendUnreachable, or the signal's reason.
 */
export const sendRequest = (options: BackendRequest): Promise<IncomingMessage> => {
  const { url, method, headers, body, silenceMilliseconds, signal } = options;
  const secure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const request = (secure ? requestHttps : requestHttp)(url, {
      method,
      agent: secure ? agents["https:"] : agents["http:"],
      headers: { ...headers, "Content-Length": Buffer.byteLength(body) },
      signal,
    });
    request.setTimeout(silenceMilliseconds, () => {
      request.destroy(new BackendTimeout(`The server was silent for ${silenceMilliseconds} ms.`));
    });
    request.once("error", (error) => reject(signal.aborted ? signal.reason : unreachable(error)));
    request.once("response", resolve);
    request.end(body);
  });
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
    throw unreachable(error instanceof Error ? error : new Error("The answer broke off."));
  }
  return Buffer.concat(chunks).toString("utf8");
};
