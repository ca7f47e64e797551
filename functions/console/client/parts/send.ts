import { createTokenSource } from "../../../../shared/pages/client/parts/token.ts";
import type { SampleRequest } from "../../../../shared/pages/samples/code-samples.ts";

/** How a page sends its requests: for the account that is signed in, or for a visitor. */
export interface Access {
  /** Returns tokens of the account; `undefined` for a visitor. */
  readonly tokenUrl: string | undefined;
  readonly visitorUrl: string | undefined;
  readonly formToken: string;
}

/** Sends what a sample describes, exactly as its curl does. */
export type Send = (
  name: string,
  request: SampleRequest,
  file: Blob | undefined,
  signal: AbortSignal,
) => Promise<Response>;

const bodyOf = (request: SampleRequest, file: Blob | undefined): BodyInit => {
  const { body } = request;
  if (body?.kind === "json") return JSON.stringify(body.value);
  const form = new FormData();
  if (body?.kind !== "files" || !file) return form;
  form.set(body.file.field, file, body.file.name);
  for (const [name, value] of Object.entries(body.fields)) form.set(name, value);
  return form;
};

/** Creates a sender. Its token is held in the memory of this page only. */
export const createSender = ({ tokenUrl, visitorUrl, formToken }: Access): Send => {
  const freshToken = tokenUrl === undefined ? undefined : createTokenSource(tokenUrl, formToken);
  return async (name, request, file, signal) => {
    const headers: Record<string, string> =
      request.body?.kind === "json" ? { "Content-Type": "application/json" } : {};
    const sent = { method: request.method, body: bodyOf(request, file), signal };
    if (!freshToken) return fetch(`${visitorUrl}/${name}`, { ...sent, headers });
    const token = await freshToken(signal);
    if (typeof token !== "string") return token;
    return fetch(request.url, { ...sent, headers: { ...headers, Authorization: `Bearer ${token}` } });
  };
};
