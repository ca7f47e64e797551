import { createHash } from "node:crypto";
import { AppError, ValidationError } from "../../shared/errors/app-error.ts";
import type { Endpoint, RawRequest } from "../../shared/http/endpoint.ts";
import { Reply } from "../../shared/http/response.ts";

/** Whether a client would rather have a page than JSON: browsers name `text/html`, scripts do not. */
export const prefersHtml = (accept: string | undefined): boolean => /\btext\/html\b/i.test(accept ?? "");

/** In the colours of the console, which these pages stand beside. */
const style = `:root{color-scheme:light dark;--paper:#f9faf7;--ink:#15211c;--edge:#6f7d75;--accent:#0b5c4a;--on-accent:#fff;--bad:#a1201a;--focus:#b35900}
@media (prefers-color-scheme:dark){:root{--paper:#0f1512;--ink:#e7ede9;--edge:#7d8c84;--accent:#74d0b4;--on-accent:#06231a;--bad:#ffa198;--focus:#ffc35c}}
body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color:var(--ink);background:var(--paper)}
h1{font-size:1.6rem;line-height:1.2}
a{color:var(--accent)}
label{display:block;font-weight:600}
input,button{font:inherit;box-sizing:border-box;width:100%;padding:.6rem;border:1px solid var(--edge);border-radius:.4rem}
input{color:inherit;background:transparent}
button{margin-top:1rem;border:0;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.problem{border-left:.3rem solid var(--bad);padding-left:.7rem}`;

const styleHash = createHash("sha256").update(style).digest("base64");

/** Nothing is loaded, no script runs, no other site is sent the form, frames the page or learns of the link's secret. */
const pageHeaders = {
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};

const escapeHtml = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

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
<title>${title}</title>
<style>${style}</style>
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
<button>Verify my address</button>
</form>`,
  );

/** The form behind a link that resets a password; again, with what was wrong, after a password that cannot be taken. */
export const resetForm = (secret: string, isRefused = false): Reply =>
  page(
    "Choose a new password",
    `${isRefused ? '<p class="problem" role="alert">This password cannot be used. It is too short, too long, one of the most common ones, or holds characters that cannot be seen.</p>\n' : ""}<form method="post" action="reset-password">
<input type="hidden" name="token" value="${escapeHtml(secret)}">
<label for="new-password">New password</label>
<p id="hint">At least 8 characters. Several words in a row are easy to remember and hard to guess.</p>
<input id="new-password" name="new_password" type="password" required minlength="8" autocomplete="new-password" aria-describedby="hint">
<button>Set the new password</button>
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
      if (!(error instanceof ValidationError) || !prefersHtml(request.headers["accept"])) throw error;
      return { tasks: 1, execute: async () => again(request) ?? brokenLinkPage() };
    }
  },
});
