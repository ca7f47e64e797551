import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { isFromThisMachine } from "@language-ai/aws-stand-ins";
import { closeServer, listenOnLoopback } from "../loopback-server.ts";
import { GraphError, invalidParameter, takeMessage } from "./accept-message.ts";
import { StatusReporter } from "./deliveries.ts";
import { describeMedia, findMedia, takeUpload } from "./media.ts";
import { MessageStore, type SentMessage } from "./message-store.ts";
import { noteDelivery } from "./note-delivery.ts";

export interface MessagingPlatformOptions {
  /** The folder of `messaging.sqlite`; created when it is missing. */
  readonly dataDirectory: string;
  /** The bearer token that every request must have. */
  readonly accessToken: string;
  /** The address of reports about messages, and the secret that signs them. */
  readonly webhook: { readonly url: string; readonly appSecret: string };
}

/** The messaging platform on this machine. */
export interface MessagingPlatformServer {
  /** For `MESSAGING_API_URL`. */
  readonly endpoint: string;
  /** Everything the platform would have sent, oldest first, including before restarts. */
  sentMessages(): SentMessage[];
  /** Stores a file that a person sends with a message. @returns its id. */
  addMedia(contentType: string, bytes: Uint8Array): string;
  /** Notes who wrote the messages of a delivery to the webhook, which opens the window of 24 hours for replies. */
  noteDelivery(body: Uint8Array): void;
  close(): Promise<void>;
}

interface Platform {
  readonly store: MessageStore;
  readonly reporter: StatusReporter;
  readonly accessToken: string;
  readonly endpoint: string;
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
    throw new GraphError(403, 10, "This server only accepts requests from this machine.");
  const given = digest(headers.authorization ?? "");
  if (timingSafeEqual(given, digest(`Bearer ${accessToken}`))) return;
  throw new GraphError(401, 190, "Invalid OAuth access token - Cannot parse access token");
};

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  try {
    return JSON.parse((await buffer(request)).toString("utf8"));
  } catch {
    throw invalidParameter("The body is not valid JSON.");
  }
};

const paths = {
  messages: /^\/v\d+\.\d+\/(?<id>\w+)\/messages$/,
  upload: /^\/v\d+\.\d+\/(?<id>\w+)\/media$/,
  media: /^\/v\d+\.\d+\/(?<id>[\w.-]+)$/,
  file: /^\/files\/(?<id>\w+)$/,
} as const;

/** Throws GraphError for a request that the platform would refuse. */
const respond = async (
  request: IncomingMessage,
  { store, reporter, accessToken, endpoint }: Platform,
): Promise<PlatformResponse> => {
  requireToken(request, accessToken);
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

const errorResponse = (error: unknown): PlatformResponse =>
  error instanceof GraphError
    ? { status: error.status, body: error.body }
    : { status: 500, body: new GraphError(500, 1, String(error)).body };

/** Starts the stand-in on a free port of the loopback interface. */
export const startMessagingPlatform = async ({
  dataDirectory,
  accessToken,
  webhook,
}: MessagingPlatformOptions): Promise<MessagingPlatformServer> => {
  const store = new MessageStore(dataDirectory);
  const reporter = new StatusReporter(webhook.url, webhook.appSecret);
  let endpoint = "";
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const platform = { store, reporter, accessToken, endpoint };
    const { status, contentType, body } = await respond(request, platform).catch(errorResponse);
    response.writeHead(status, { "content-type": contentType ?? "application/json; charset=UTF-8" });
    response.end(body instanceof Uint8Array ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void serve(request, response));
  endpoint = await listenOnLoopback(server, 0);
  return {
    endpoint,
    sentMessages: () => store.all(),
    addMedia: (contentType, bytes) => store.addMedia(contentType, bytes),
    noteDelivery: (body) => noteDelivery(body, store),
    close: async () => {
      await closeServer(server);
      await reporter.close();
      store.close();
    },
  };
};
