import type { SampleRequest } from "../../samples/code-samples.ts";
import { createTokenSource } from "./token.ts";

/** How a page may ask: in the name of the account that is signed in, or as somebody without one. */
export interface Access {
  /** Where a token is had for the one who is signed in; without it the tries of visitors are asked for. */
  readonly tokenUrl: string | undefined;
  readonly visitorUrl: string | undefined;
  readonly formToken: string;
}

const bodyOf = (request: SampleRequest, file: Blob | undefined): BodyInit => {
  const { body } = request;
  if (body?.kind === "json") return JSON.stringify(body.value);
  const form = new FormData();
  if (body?.kind !== "files" || !file) return form;
  form.set(body.file.field, file, body.file.name);
  for (const [name, value] of Object.entries(body.fields)) form.set(name, value);
  return form;
};

/**
 * Sends requests with a token that only this page's memory holds.
 *
 * @returns a function that sends what a sample describes, exactly as its curl would.
 */
export const createSender = ({ tokenUrl, visitorUrl, formToken }: Access) => {
  const freshToken = tokenUrl === undefined ? undefined : createTokenSource(tokenUrl, formToken);

  return async (
    name: string,
    request: SampleRequest,
    file: Blob | undefined,
    signal: AbortSignal,
  ): Promise<Response> => {
    const headers: Record<string, string> =
      request.body?.kind === "json" ? { "Content-Type": "application/json" } : {};
    const sent = { method: request.method, body: bodyOf(request, file), signal };
    if (!freshToken) return fetch(`${visitorUrl}/${name}`, { ...sent, headers });
    const value = await freshToken(signal);
    if (typeof value !== "string") return value;
    return fetch(request.url, { ...sent, headers: { ...headers, Authorization: `Bearer ${value}` } });
  };
};
