import { member, parsed, textWithin } from "./read.ts";

/** Renewed a little before it ends, so that none ends on its way. */
const reserveMilliseconds = 30_000;

/** Gives a token that works for a while yet, or the answer that says why there is none. */
export type TokenSource = (signal: AbortSignal) => Promise<Response | string>;

/** Where a page gets its tokens, which only its memory holds. */
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
