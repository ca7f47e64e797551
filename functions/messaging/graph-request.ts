import type { IncomingMessage } from "node:http";
import { bufferSource } from "../../shared/audio/read-audio.ts";
import type { PlatformSecretSource } from "../../shared/messaging/platform-secrets.ts";
import {
  type BackendRequest,
  readBody,
  readBytes,
  sendRequest,
} from "../../shared/platform/outbound/http-client.ts";
import { multipartForm, sendUpload } from "../../shared/platform/outbound/upload.ts";
import { requestScope } from "../../shared/platform/telemetry/request-scope.ts";
import { type GraphResponse, isRefusal } from "./graph-outcome.ts";
import type { NewMedia } from "./messaging-platform.ts";

export interface GraphApi {
  /** Without the version: `https://graph.facebook.com`. */
  readonly baseUrl: string;
  /** Such as `v26.0`. */
  readonly version: string;
  readonly secrets: PlatformSecretSource;
}

/** The request was not sent, so the platform has done nothing. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/** Closes idle connections. The signal of a call ends the call itself. */
const silenceMilliseconds = 60_000;

/** Responses in JSON have a few hundred bytes. */
const maxResponseBytes = 1024 * 1024;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The token is in the header only, because URLs appear in logs. @throws NotSent without a token. */
const authorizationOf = (token: string | undefined): string => {
  if (token === undefined) throw new NotSent("The platform's access token is missing.");
  return `Bearer ${token}`;
};

type Send<Response> = (authorization: string) => Promise<Response>;

/** Sends a request and adds its time to the metrics of the current message. */
const measure = async <Response extends GraphResponse>(
  authorization: string,
  send: Send<Response>,
): Promise<Response> => {
  const startedAt = performance.now();
  const note = (hasFailed: boolean): void =>
    requestScope()?.backends.noteCall("platform", performance.now() - startedAt, hasFailed);
  try {
    const response = await send(authorization);
    note(response.status !== 200 && !isRefusal(response));
    return response;
  } catch (error) {
    note(true);
    throw error;
  }
};

/** Sends a request, and repeats it with the newest token after a 401. The first one had no effect. */
const sendAuthorized = async <Response extends GraphResponse>(
  secrets: PlatformSecretSource,
  send: Send<Response>,
): Promise<Response> => {
  const known = authorizationOf((await secrets.get()).current.access_token);
  const response = await measure(known, send);
  if (response.status !== 401) return response;
  const newest = authorizationOf((await secrets.reload()).current.access_token);
  return newest === known ? response : measure(newest, send);
};

const addressOf = ({ baseUrl, version }: GraphApi, path: string): URL =>
  new URL(`${baseUrl}/${version}${path}`);

const traceHeaders = (): Readonly<Record<string, string>> => {
  const traceparent = requestScope()?.span?.traceparent;
  return traceparent === undefined ? {} : { traceparent };
};

/** Sends a request. @throws NotSent when it was not sent completely; else the connection's error. */
const sendWhole = async (request: BackendRequest): Promise<IncomingMessage> => {
  let isSent = false;
  const onSent = (): void => {
    isSent = true;
  };
  try {
    return await sendRequest({ ...request, onSent });
  } catch (error) {
    throw isSent ? error : new NotSent("The platform cannot be reached.", { cause: error });
  }
};

/**
 * Calls the Graph API.
 *
 * @param path below the version, such as `/1234/messages`.
 * @param request with a `body`, which becomes JSON, the request is a POST.
 * @throws NotSent; or the connection's error, after which the outcome is unknown.
 */
export const callGraph = (
  api: GraphApi,
  path: string,
  { body, signal }: { readonly body?: object; readonly signal: AbortSignal },
): Promise<GraphResponse> =>
  sendAuthorized(api.secrets, async (authorization) => {
    const response = await sendWhole({
      url: addressOf(api, path),
      method: body ? "POST" : "GET",
      headers: {
        Authorization: authorization,
        ...traceHeaders(),
        ...(body ? { "Content-Type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      silenceMilliseconds,
      signal,
    });
    const text = await readBody(response, maxResponseBytes);
    return { status: response.statusCode ?? 0, body: parseJson(text) };
  });

/** Uploads a file to the Graph API, in a form with these fields. @throws the connection's error. */
export const uploadToGraph = (
  api: GraphApi,
  path: string,
  fields: readonly (readonly [name: string, value: string])[],
  { bytes, contentType, fileName }: NewMedia,
  signal: AbortSignal,
): Promise<GraphResponse> =>
  sendAuthorized(api.secrets, async (authorization) => {
    const file = { fieldName: "file", fileName, mediaType: contentType, source: bufferSource(bytes) };
    const { statusCode, body } = await sendUpload({
      url: addressOf(api, path),
      headers: { Authorization: authorization, ...traceHeaders() },
      body: multipartForm(fields, file),
      stallMilliseconds: silenceMilliseconds,
      silenceMilliseconds,
      signal,
    });
    return { status: statusCode, body: parseJson(body) };
  });

export interface FileResponse extends GraphResponse {
  /** `undefined` when the file is too large, or the status is not 200. */
  readonly bytes: Buffer | undefined;
}

/** Fetches a file of the platform. @throws the connection's error. */
export const fetchFile = (
  { secrets }: GraphApi,
  url: URL,
  maxBytes: number,
  signal: AbortSignal,
): Promise<FileResponse> =>
  sendAuthorized(secrets, async (authorization) => {
    // The platform's reference requires both headers; its file server may refuse requests without the second.
    const headers = { Authorization: authorization, "User-Agent": "node" };
    const response = await sendRequest({ url, method: "GET", headers, silenceMilliseconds, signal });
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      response.destroy();
      return { status, body: undefined, bytes: undefined };
    }
    const bytes = await readBytes(response, maxBytes).catch((error: unknown) => {
      if (error instanceof RangeError) return undefined;
      throw error;
    });
    return { status, body: undefined, bytes };
  });
