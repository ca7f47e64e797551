import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { isFromThisMachine } from "@language-ai/aws-stand-ins";
import { GraphError, invalidParameter, takeMessage } from "./accept-message.ts";
import { StatusReporter } from "./deliveries.ts";
import { describeMedia, findMedia, takeUpload } from "./media.ts";
import { MessageStore, type SentMessage } from "./message-store.ts";

/** How to start the stand-in. */
export interface MessagingPlatformOptions {
  /** Where `messaging.sqlite` is kept; made when it is missing. */
  readonly dataDirectory: string;
  /** Must come as the bearer token of every request. */
  readonly accessToken: string;
  /** Where reports about messages go, and what they are signed with. */
  readonly webhook: { readonly url: string; readonly appSecret: string };
}

/** The messaging platform on this machine. */
export interface MessagingPlatformServer {
  /** For `MESSAGING_API_URL`. */
  readonly endpoint: string;
  /** Everything it would have passed on, oldest first; kept across restarts. */
  sentMessages(): SentMessage[];
  /** Takes a file that somebody sends with a message. @returns its id. */
  addMedia(contentType: string, bytes: Uint8Array): string;
  close(): Promise<void>;
}

interface PlatformResponse {
  readonly status: number;
  readonly contentType?: string;
  readonly body: object | Uint8Array;
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const requireToken = (request: IncomingMessage, accessToken: string): void => {
  const { headers } = request;
  if (!isFromThisMachine(request))
    throw new GraphError(403, 10, "This server answers to this machine alone.");
  const given = digest(headers.authorization ?? "");
  if (timingSafeEqual(given, digest(`Bearer ${accessToken}`))) return;
  throw new GraphError(401, 190, "Invalid OAuth access token - Cannot parse access token");
};

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  try {
    return JSON.parse((await buffer(request)).toString("utf8"));
  } catch {
    throw invalidParameter("The body is no JSON.");
  }
};

const paths = {
  messages: /^\/v\d+\.\d+\/(?<id>\w+)\/messages$/,
  upload: /^\/v\d+\.\d+\/(?<id>\w+)\/media$/,
  media: /^\/v\d+\.\d+\/(?<id>[\w.-]+)$/,
  file: /^\/files\/(?<id>\w+)$/,
} as const;

/** Starts the stand-in on a free port of the loopback interface. */
export const startMessagingPlatform = async (
  options: MessagingPlatformOptions,
): Promise<MessagingPlatformServer> => {
  const store = new MessageStore(options.dataDirectory);
  const reporter = new StatusReporter(options.webhook.url, options.webhook.appSecret);

  const respond = async (request: IncomingMessage): Promise<PlatformResponse> => {
    requireToken(request, options.accessToken);
    const [path = ""] = (request.url ?? "").split("?");
    const idIn = (pattern: RegExp, method: string): string | undefined =>
      request.method === method ? pattern.exec(path)?.groups?.["id"] : undefined;

    const sender = idIn(paths.messages, "POST");
    if (sender !== undefined) {
      const taken = takeMessage(sender, await readJson(request), store);
      if (taken.message) reporter.reportSent(taken.message);
      return { status: 200, body: taken.response };
    }
    if (idIn(paths.upload, "POST") !== undefined) {
      const body = await buffer(request);
      return { status: 200, body: await takeUpload(request.headers["content-type"] ?? "", body, store) };
    }
    const media = idIn(paths.media, "GET");
    if (media !== undefined) {
      return { status: 200, body: describeMedia(media, findMedia(media, store), endpoint) };
    }
    const file = idIn(paths.file, "GET");
    if (file === undefined) throw new GraphError(404, 2_500, "Unknown path components", "OAuthException");
    const { contentType, bytes } = findMedia(file, store);
    return { status: 200, contentType, body: bytes };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const {
      status,
      contentType = "application/json; charset=UTF-8",
      body,
    } = await respond(request).catch((error: unknown): PlatformResponse => {
      if (error instanceof GraphError) return { status: error.status, body: error.body };
      return { status: 500, body: new GraphError(500, 1, String(error)).body };
    });
    response.writeHead(status, { "content-type": contentType });
    response.end(body instanceof Uint8Array ? body : JSON.stringify(body));
  };

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no TCP address.");
  const endpoint = `http://127.0.0.1:${address.port}`;

  return {
    endpoint,
    sentMessages: () => store.all(),
    addMedia: (contentType, bytes) => store.addMedia(contentType, bytes),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await reporter.close();
      store.close();
    },
  };
};
