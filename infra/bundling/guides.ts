import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { readGuides } from "../../functions/console/docs/guides/read-guides.ts";
import type { StageCatalogue } from "../../shared/platform/catalogue/stage-catalogue.ts";
import { hasOwnCatalogue, writeWithCatalogue } from "./stage-catalogue.ts";

/** Puts the parsed guides into the bundle, so it needs no Markdown parser. */
export const builtGuides = (projectDirectory: string, catalogue: StageCatalogue): Plugin => ({
  name: "built-guides",
  setup(builder) {
    builder.onLoad({ filter: /\/guides\/built-guides\.ts$/ }, async () => {
      const folder = join(projectDirectory, "functions/console/docs/guides");
      const files = await readdir(folder);
      const guides = hasOwnCatalogue(catalogue)
        ? await writeWithCatalogue("guides", catalogue)
        : JSON.stringify(readGuides(folder));
      return {
        contents: `export const guides = ${guides};`,
        loader: "js",
        watchFiles: files.map((file) => join(folder, file)),
        watchDirs: [folder],
      };
    });
  },
});
