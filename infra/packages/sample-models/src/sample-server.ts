import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createChatCompletion } from "./chat/create-chat-completion.ts";
import { ApiError, type Endpoint, type SampleSettings } from "./endpoint.ts";
import { listModels } from "./models.ts";
import { sendError } from "./send-response.ts";
import { createSpeech } from "./speech/create-speech.ts";
import { Synthesiser } from "./speech/synthesiser.ts";
import type { VoiceCatalogue } from "./speech/voices.ts";
import { createTranscription } from "./transcription/create-transcription.ts";

/** How to start the sample server. */
export type SampleInferenceOptions = {
  /** Port on 127.0.0.1; 0, the default, takes a free one. */
  readonly port?: number;
  /** The voices, under the tags that clients use; without them each language of the phrasebook has two. */
  readonly voices?: VoiceCatalogue;
  /** The pause before each token of a stream; 20 by default. */
  readonly tokenDelayMilliseconds?: number;
  /** When given, requests must bring it as their bearer token. Without it, any or no token will do. */
  readonly apiKey?: string;
  /** Which requests to serve; the others get 403. By default all. */
  readonly isAllowed?: (request: IncomingMessage) => boolean;
};

/** A running sample server. */
export type SampleInference = {
  /** What an OpenAI client takes as its base URL: ends with `/v1`. */
  readonly baseUrl: string;
  /** Stops the server; open streams are broken off. */
  close(): Promise<void>;
};

/**
 * Starts the sample inference server: the OpenAI HTTP API on a port of its own, with a phrasebook and a speech
 * synthesiser instead of models. It lets a service call model servers where there are none.
 *
 * Rejects with the system's error when the port is in use.
 */
export const startSampleInference = async (
  options: SampleInferenceOptions = {},
): Promise<SampleInference> => {
  const settings = { tokenDelayMilliseconds: options.tokenDelayMilliseconds ?? 20 };
  const synthesiser = new Synthesiser();
  const speech = createSpeech((utterance) => synthesiser.synthesise(utterance), options.voices);
  const endpoints = [listModels, createChatCompletion, speech, createTranscription];
  const server = createServer((request, response) => {
    void respondToRequest(endpoints, request, response, settings, options);
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    await closeServer(server);
    await synthesiser.close();
  };
  return { baseUrl: `http://127.0.0.1:${portOf(server)}/v1`, close };
};

const respondToRequest = async (
  endpoints: readonly Endpoint[],
  request: IncomingMessage,
  response: ServerResponse,
  settings: SampleSettings,
  { apiKey, isAllowed = () => true }: SampleInferenceOptions,
): Promise<void> => {
  response.setHeader("x-request-id", `req_${randomUUID().replaceAll("-", "")}`);
  try {
    if (!isAllowed(request)) throw new ApiError(403, "This server only accepts requests from this machine.");
    if (apiKey !== undefined) requireKey(request, apiKey);
    const [path = ""] = (request.url ?? "").split("?");
    await findEndpoint(endpoints, request.method ?? "", path).handle({ request, response, settings });
  } catch (error) {
    sendError(response, error);
  }
};

const requireKey = (request: IncomingMessage, apiKey: string): void => {
  const given = request.headers.authorization ?? "";
  // Hashed, because the comparison in constant time wants two values of one length.
  if (timingSafeEqual(hash(given), hash(`Bearer ${apiKey}`))) return;
  throw new ApiError(401, "The API key is missing or wrong.", { code: "invalid_api_key" });
};

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();

const portOf = (server: Server): number => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The sample server has no port.");
  return address.port;
};

const closeServer = async (server: Server): Promise<void> => {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
};

/** The endpoint for a request. Throws an `ApiError`: 404 for an unknown path, 405 for another method. */
const findEndpoint = (endpoints: readonly Endpoint[], method: string, path: string): Endpoint => {
  const onPath = endpoints.filter((endpoint) => endpoint.path === path);
  const endpoint = onPath.find((candidate) => candidate.method === method);
  if (endpoint) return endpoint;
  if (onPath.length === 0) {
    throw new ApiError(404, `Unknown request URL: ${method} ${path}.`, { code: "unknown_url" });
  }
  const allow = onPath.map((candidate) => candidate.method).join(", ");
  const message = `${method} is not allowed on ${path}.`;
  throw new ApiError(405, message, { code: "method_not_supported", headers: { allow } });
};
