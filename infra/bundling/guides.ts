import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { readGuides } from "../../functions/console/docs/guides/read-guides.ts";

/** Puts the parsed guides into the bundle, so it needs no Markdown parser. */
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
