import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { readGuides } from "../../functions/console/docs/guides/read-guides.ts";

/** Puts the guides into the bundle as their pages need them, in place of the parser that reads them from Markdown. */
export const builtGuides = (projectDirectory: string): Plugin => ({
  name: "built-guides",
  setup(builder) {
    builder.onLoad({ filter: /\/guides\/built-guides\.ts$/ }, async () => {
      const folder = join(projectDirectory, "functions/console/docs/guides");
      const files = await readdir(folder);
      return {
        contents: `export const guides = ${JSON.stringify(readGuides(folder))};`,
        loader: "js",
        watchFiles: files.map((file) => join(folder, file)),
        watchDirs: [folder],
      };
    });
  },
});
