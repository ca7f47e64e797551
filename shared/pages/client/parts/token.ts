import { member, parsed, textWithin } from "./read-response.ts";

/** A token is renewed a little early, so it does not expire during a request. */
const reserveMilliseconds = 30_000;

/** Returns a valid token, or the response that says why there is none. */
export type TokenSource = (signal: AbortSignal) => Promise<Response | string>;

/** Gets tokens for a page. They are held in its memory only. */
export const createTokenSource = (url: string, formToken: string): TokenSource => {
  let token = { value: "", until: 0 };
  return async (signal) => {
    if (Date.now() < token.until) return token.value;
    const response = await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ form_token: formToken }),
      signal,
    });
    if (!response.ok) return response;
    const body = parsed(await response.text());
    const seconds = Number(member(body, "expires_in"));
    token = {
      value: textWithin(body, "access_token"),
      until: Date.now() + seconds * 1_000 - reserveMilliseconds,
    };
    return token.value;
  };
};
