import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";
import type { BuiltAsset } from "../../functions/console/server/built-assets.ts";

/** Pages load each of its files separately; modules that several of them need are in its folders. */
const clientDirectory = "functions/console/client";
const styleSheet = "functions/console/view/style.css";

/** People use their phones for years, so newer syntax is translated for these browsers. */
const target = ["chrome87", "firefox78", "safari15"];

const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** The files for browsers, and their sources. */
interface BrowserAssets {
  readonly assets: readonly BuiltAsset[];
  readonly inputs: readonly string[];
}

/** Bundles the scripts of the console's pages, and their style sheet, under names that contain a hash of their content. */
export const buildBrowserAssets = async (projectDirectory: string): Promise<BrowserAssets> => {
  const names = await readdir(join(projectDirectory, clientDirectory));
  const scripts = names.filter((name) => /\.tsx?$/.test(name)).map((name) => join(clientDirectory, name));
  const { outputFiles, metafile } = await build({
    absWorkingDir: projectDirectory,
    entryPoints: [...scripts, styleSheet],
    entryNames: "[name].[hash]",
    outdir: "assets",
    bundle: true,
    platform: "browser",
    format: "esm",
    target,
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
    assetNames: "[name].[hash]",
    loader: { ".svg": "file" },
    logLevel: "silent",
  });
  const assets = outputFiles.map(({ path, text }): BuiltAsset => {
    const file = basename(path);
    const [name = "", , ending = ""] = file.split(".");
    return { name, file, contentType: contentTypes[ending] ?? "application/octet-stream", text };
  });
  return { assets, inputs: Object.keys(metafile.inputs).map((path) => join(projectDirectory, path)) };
};

/** Puts the files for browsers into the console's bundle. */
export const browserAssets = (projectDirectory: string): Plugin => ({
  name: "browser-assets",
  setup(builder) {
    builder.onLoad({ filter: /\/console\/server\/built-assets\.ts$/ }, async () => {
      const { assets, inputs } = await buildBrowserAssets(projectDirectory);
      return {
        contents: `export const builtAssets = ${JSON.stringify(assets)};`,
        loader: "js",
        watchFiles: [...inputs],
        watchDirs: [join(projectDirectory, clientDirectory)],
      };
    });
  },
});
