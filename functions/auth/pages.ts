import type { Endpoint, RawRequest } from "../../shared/http/endpoint.ts";
import { escapeHtml, wantsPage } from "../../shared/http/html.ts";
import { Reply } from "../../shared/http/response.ts";
import { AppError, ValidationError } from "../../shared/platform/errors/app-error.ts";
import { styleSheetPath } from "./style-sheet.ts";

/** Nothing but our style sheet is loaded, no other site is sent the form, frames the page or learns of the link's secret. */
const pageHeaders = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};

/** Links are relative, as these pages know nothing of the prefix that a stage puts before their path. */
const page = (title: string, content: string, status = 200): Reply =>
  new Reply({
    status,
    contentType: "text/html; charset=utf-8",
    headers: pageHeaders,
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${styleSheetPath === undefined ? "" : `<link rel="stylesheet" href="..${styleSheetPath}">`}
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`,
  });

/** A page with a sentence of our own, and the way to the console. */
export const messagePage = (title: string, message: string, status?: number): Reply =>
  page(title, `<p>${message}</p>\n<p><a href="../console">Go to your account</a></p>`, status);

/** What a person sees whose link is wrong, too old or used. */
const brokenLinkPage = (): Reply =>
  messagePage(
    "This link does not work",
    "It is not complete, too old, or was used before. Ask for a new mail.",
    400,
  );

/** The form behind a verification link. Programs that look through mails follow links, but they press no buttons. */
export const verificationForm = (secret: string): Reply =>
  page(
    "Verify your e-mail address",
    `<p>Press the button to confirm that this address is yours.</p>
<form method="post" action="verify-email">
<input type="hidden" name="token" value="${escapeHtml(secret)}">
<button class="button">Verify my address</button>
</form>`,
  );

/** The form behind a link that resets a password; again, with what was wrong, after a password that cannot be taken. */
export const resetForm = (secret: string, isRefused = false): Reply =>
  page(
    "Choose a new password",
    `${isRefused ? '<p class="notice bad" role="alert">This password cannot be used. It is too short, too long, one of the most common ones, or holds characters that cannot be seen.</p>\n' : ""}<form method="post" action="reset-password">
<input type="hidden" name="token" value="${escapeHtml(secret)}">
<p class="field"><label for="new-password">New password</label><br>
<span class="hint" id="hint">At least 8 characters. Several words in a row are easy to remember and hard to guess.</span>
<input id="new-password" name="new_password" type="password" required minlength="8" autocomplete="new-password" aria-describedby="hint"></p>
<button class="button">Set the new password</button>
</form>`,
    isRefused ? 422 : 200,
  );

/** Gives people a page where a link does not work; everything else stays the error it is. */
export const orBrokenLinkPage = async (make: () => Promise<Reply>): Promise<Reply> => {
  try {
    return await make();
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_link") return brokenLinkPage();
    throw error;
  }
};

/**
 * An endpoint whose invalid requests get people a page as well.
 *
 * @param again the page for a request that is not valid; without it, or when it gives none, the link does not work.
 */
export const withPages = (
  endpoint: Endpoint,
  again: (request: RawRequest) => Reply | undefined = () => undefined,
): Endpoint => ({
  ...endpoint,
  prepare: (request) => {
    try {
      return endpoint.prepare(request);
    } catch (error) {
      if (!(error instanceof ValidationError) || !wantsPage(request.headers["accept"])) throw error;
      return { tasks: 1, execute: async () => again(request) ?? brokenLinkPage() };
    }
  },
});
