import { createHash } from "node:crypto";
import { escapeHtml } from "../../shared/http/html.ts";
import { textsOf } from "../../shared/pages/texts/languages.ts";

/** The look of the console's pages in short. Velocity reads the signs of hex colours and variables as its own, so it has neither. */
const style = [
  "body{margin:0;font:1rem/1.55 system-ui,sans-serif;color:rgb(20 32 27);background:rgb(251 250 246);color-scheme:light dark}",
  "body::before{content:'';display:block;height:6px;background:repeating-linear-gradient(90deg,rgb(11 92 74) 0 26px,rgb(20 32 27) 26px 29px,rgb(224 154 31) 29px 42px,rgb(20 32 27) 42px 45px)}",
  "header{padding:.75rem max(1rem,50vw - 36rem);border-bottom:1px solid rgb(229 225 213)}",
  "header a{display:inline-flex;gap:.6rem;align-items:center;min-height:44px;font-size:1.0625rem;font-weight:700;color:inherit;text-decoration:none}",
  "svg{fill:rgb(11 138 108)}svg .gold{fill:rgb(199 119 0)}",
  "main{box-sizing:border-box;width:calc(100% - 2rem);max-width:26rem;margin:4rem auto;padding:2rem 1.25rem;border:1px solid rgb(229 225 213);border-radius:16px;text-align:center;background:white}",
  "h1{margin:0 0 .5rem;font-size:1.625rem;line-height:1.2}",
  "p{margin:0 0 1.5rem;color:rgb(70 83 76)}",
  "main a{display:block;padding:.7rem 1rem;border-radius:6px;font-weight:500;text-decoration:none;color:white;background:rgb(11 92 74)}",
  "main a+a{margin-top:.75rem;border:1px solid rgb(131 141 134);color:inherit;background:none}",
  "a:focus-visible{outline:3px solid rgb(179 89 0);outline-offset:2px}",
  "@media(prefers-color-scheme:dark){",
  "body{color:rgb(233 239 235);background:rgb(13 20 17)}",
  "header,main{border-color:rgb(39 50 44)}",
  "main{background:rgb(21 30 26)}",
  "p{color:rgb(179 192 185)}",
  "main a:first-of-type{color:rgb(6 35 26);background:rgb(114 210 181)}",
  "a:focus-visible{outline-color:rgb(255 195 92)}",
  "}",
].join("");

const mark =
  '<svg viewBox="0 0 24 24" width="26" height="26" aria-hidden="true">' +
  '<path d="M1 9h4v6H1zM13 6h4v12h-4zM19 10h4v4h-4z"/><path class="gold" d="M7 2h4v20H7z"/></svg>';

const styleHash = createHash("sha256").update(style).digest("base64");

/**
 * The page for browsers at paths that do not exist, sent without a function. It uses no files, because their addresses change
 * with each release, so it has the console's colours and shapes in itself.
 *
 * @param baseUrl without a slash at the end; may contain the CDK's tokens.
 */
export const notFoundPage = (baseUrl: string): string => {
  const { errorPages, home, product } = textsOf.en;
  const title = escapeHtml(errorPages.notFound.title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${escapeHtml(product)}</title>
<style>${style}</style>
</head>
<body>
<header><a href="${baseUrl}/">${mark}${escapeHtml(product)}</a></header>
<main>
<h1>${title}</h1>
<p>${escapeHtml(errorPages.notFound.text)}</p>
<a href="${baseUrl}/">${escapeHtml(errorPages.home)}</a>
<a href="${baseUrl}/docs">${escapeHtml(home.read)}</a>
</main>
</body>
</html>
`;
};
