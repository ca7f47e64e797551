import { textsOf } from "../../functions/console/texts/languages.ts";
import { escapeHtml } from "../../shared/http/html.ts";

/**
 * The page for browsers at paths that do not exist, sent without a function. It uses no files, because their addresses change
 * with each release.
 *
 * @param baseUrl without a slash at the end; may contain the CDK's tokens.
 */
export const notFoundPage = (baseUrl: string): string => {
  const { errorPages } = textsOf.en;
  const title = escapeHtml(errorPages.notFound.title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body style="font-family: system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem">
<main>
<h1>${title}</h1>
<p>${escapeHtml(errorPages.notFound.text)}</p>
<p><a href="${baseUrl}/">${escapeHtml(errorPages.home)}</a></p>
</main>
</body>
</html>
`;
};
