import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { OnLoadResult, Plugin } from "esbuild";
import { readGuides } from "../../functions/console/docs/guides/read-guides.ts";
import { readNotices } from "../../functions/console/notices/read-notices.ts";

const reading = (folder: string, name: string, value: unknown): OnLoadResult => ({
  contents: `export const ${name} = ${JSON.stringify(value)};`,
  loader: "js",
  watchFiles: readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  watchDirs: [folder],
});

/** Puts the parsed guides and notices into the bundle, so it needs no Markdown parser. */
export const builtGuides = (projectDirectory: string): Plugin => ({
  name: "built-guides",
  setup(builder) {
    builder.onLoad({ filter: /\/guides\/built-guides\.ts$/ }, () => {
      const folder = join(projectDirectory, "functions/console/docs/guides");
      return reading(folder, "guides", readGuides(folder));
    });
    builder.onLoad({ filter: /\/notices\/built-notices\.ts$/ }, () => {
      const folder = join(projectDirectory, "infra/stages");
      return reading(folder, "notices", readNotices(folder));
    });
  },
});
