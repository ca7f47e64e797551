import type { SampleRequest } from "../../samples/code-samples.ts";
import { member, parsed, textWithin } from "./read.ts";

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

/** Renewed a little before it ends, so that none ends on its way. */
const reserveMilliseconds = 30_000;

/**
 * Sends requests with a token that only this page's memory holds.
 *
 * @returns a function that sends what a sample describes, exactly as its curl would.
 */
export const createSender = ({ tokenUrl, visitorUrl, formToken }: Access) => {
  let token = { value: "", until: 0 };

  const freshToken = async (url: string, signal: AbortSignal): Promise<Response | string> => {
    if (Date.now() < token.until) return token.value;
    const response = await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ form_token: formToken }),
      signal,
    });
    if (!response.ok) return response;
    const answer = parsed(await response.text());
    const seconds = Number(member(answer, "expires_in"));
    token = {
      value: textWithin(answer, "access_token"),
      until: Date.now() + seconds * 1_000 - reserveMilliseconds,
    };
    return token.value;
  };

  return async (
    name: string,
    request: SampleRequest,
    file: Blob | undefined,
    signal: AbortSignal,
  ): Promise<Response> => {
    const headers: Record<string, string> =
      request.body?.kind === "json" ? { "Content-Type": "application/json" } : {};
    const sent = { method: request.method, body: bodyOf(request, file), signal };
    if (tokenUrl === undefined) return fetch(`${visitorUrl}/${name}`, { ...sent, headers });
    const value = await freshToken(tokenUrl, signal);
    if (typeof value !== "string") return value;
    return fetch(request.url, { ...sent, headers: { ...headers, Authorization: `Bearer ${value}` } });
  };
};
