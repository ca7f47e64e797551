import { renderToString } from "preact-render-to-string";
import { explorerVersion } from "./explorer-files.ts";

/**
 * The page of Swagger UI. It does not use the console's layout, because the two style sheets conflict.
 *
 * @param scripts the addresses of the scripts that start it.
 */
export const renderExplorer = ({
  url,
  scripts,
}: {
  readonly url: (path: string) => string;
  readonly scripts: readonly string[];
}): string => {
  const file = (name: string) => url(`/docs/explorer/${explorerVersion}/${name}`);
  return `<!doctype html>${renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>API explorer</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={file("swagger-ui.css")} />
        <script defer src={file("swagger-ui-bundle.js")} />
        {scripts.map((source) => (
          <script key={source} type="module" src={source} />
        ))}
      </head>
      <body>
        <header class="swagger-ui">
          <p class="wrapper">
            <a href={url("/docs")}>Documentation</a>
          </p>
        </header>
        <main id="explorer" data-document={url("/openapi.json")}>
          <noscript>The explorer requires JavaScript. The documentation does not.</noscript>
        </main>
      </body>
    </html>,
  )}`;
};
