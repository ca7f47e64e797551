import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OnLoadResult, Plugin } from "esbuild";
import { readGuides } from "../../functions/site/docs/guides/read-guides.ts";
import { shownDocument } from "../../functions/site/docs/shown-document.ts";
import { readNotices } from "../../functions/site/notices/read-notices.ts";
import { readEvaluations } from "../../functions/site/quality/read-evaluations.ts";
import { consoleLanguages } from "../../shared/pages/texts/languages.ts";
import type { StageCatalogue } from "../../shared/platform/catalogue/stage-catalogue.ts";
import { hasOwnCatalogue, writeWithCatalogue } from "./stage-catalogue.ts";

const reading = (folder: string, name: string, json: string): OnLoadResult => ({
  contents: `export const ${name} = ${json};`,
  loader: "js",
  watchFiles: readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  watchDirs: [folder],
});

/** Puts the parsed guides and notices into the bundle, so it needs no Markdown parser, the evaluations of stages, and words. */
export const builtGuides = (projectDirectory: string, catalogue: StageCatalogue): Plugin => ({
  name: "built-guides",
  setup(builder) {
    builder.onLoad({ filter: /\/guides\/built-guides\.ts$/ }, async () => {
      const folder = join(projectDirectory, "functions/site/docs/guides");
      const guides = hasOwnCatalogue(catalogue)
        ? await writeWithCatalogue("guides", catalogue)
        : JSON.stringify(readGuides(folder));
      return reading(folder, "guides", guides);
    });
    builder.onLoad({ filter: /\/docs\/built-document\.ts$/ }, async () => {
      const file = join(projectDirectory, "shared/http/openapi/openapi.json");
      const text = hasOwnCatalogue(catalogue)
        ? await writeWithCatalogue("openapi", catalogue)
        : await readFile(file, "utf8");
      const document = JSON.stringify(shownDocument(JSON.parse(text)));
      // Parsed for the first page that needs it: most starts are for none.
      return {
        contents: `export const readShownDocument = () => JSON.parse(${JSON.stringify(document)});`,
        loader: "js",
        watchFiles: [file],
      };
    });
    builder.onLoad({ filter: /\/texts\/built-texts\.ts$/ }, async () => {
      const files = consoleLanguages.map((tag) => join(projectDirectory, `shared/pages/texts/${tag}.json`));
      const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
      const packed = texts.map((text) => JSON.stringify(JSON.stringify(JSON.parse(text))));
      const getters = consoleLanguages.map(
        (tag, index) => `get ${tag}() { return parsed.${tag} ??= JSON.parse(${packed[index]}); }`,
      );
      return {
        contents: `const parsed = {}; export const builtTexts = { ${getters.join(", ")} };`,
        loader: "js",
        watchFiles: files,
      };
    });
    builder.onLoad({ filter: /\/notices\/built-notices\.ts$/ }, () => {
      const folder = join(projectDirectory, "infra/stages");
      return reading(folder, "notices", JSON.stringify(readNotices(folder)));
    });
    builder.onLoad({ filter: /\/quality\/built-evaluations\.ts$/ }, () => {
      const folder = join(projectDirectory, "infra/stages");
      return reading(folder, "evaluations", JSON.stringify(readEvaluations(folder)));
    });
  },
});
