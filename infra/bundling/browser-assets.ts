import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build, type Plugin } from "esbuild";
import type { BuiltAsset } from "../../functions/site/assets/built-assets.ts";

/** Pages load each of their files separately; modules that several of them need are in folders below. */
const clientDirectories = ["shared/pages/client", "functions/console/client", "functions/site/client"];
const styleSheet = "shared/pages/view/style.css";

/** Each of its style sheets is for some of the pages only. */
const pageStyleDirectory = "shared/pages/view/page-style";

/** People use their phones for years, so newer syntax is translated for these browsers. */
const target = ["chrome87", "firefox78", "safari15"];

const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** At build time the best quality costs nothing, and saves a tenth of what the service would send. */
const compressed = (text: string): string =>
  brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    },
  }).toString("base64");

/** A file for browsers, with its text. */
interface BrowserAsset extends BuiltAsset {
  readonly text: string;
}

/** The files for browsers, and their sources. */
interface BrowserAssets {
  readonly assets: readonly BrowserAsset[];
  readonly inputs: readonly string[];
}

/** Bundles the scripts of the console's pages, and their style sheet, under names that contain a hash of their content. */
export const buildBrowserAssets = async (projectDirectory: string): Promise<BrowserAssets> => {
  const filesIn = async (directory: string, names: RegExp): Promise<string[]> =>
    (await readdir(join(projectDirectory, directory)))
      .filter((name) => names.test(name))
      .map((name) => join(directory, name));
  const scripts = (
    await Promise.all(clientDirectories.map((directory) => filesIn(directory, /\.tsx?$/)))
  ).flat();
  const pageStyles = await filesIn(pageStyleDirectory, /\.css$/);
  const { outputFiles, metafile } = await build({
    absWorkingDir: projectDirectory,
    entryPoints: [...scripts, styleSheet, ...pageStyles].map((file) => ({
      in: file,
      out: basename(file).replace(/\.\w+$/, ""),
    })),
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
  const assets = outputFiles.map(({ path, text }): BrowserAsset => {
    const file = basename(path);
    const [name = "", , ending = ""] = file.split(".");
    return {
      name: `${name}.${ending}`,
      file,
      contentType: contentTypes[ending] ?? "application/octet-stream",
      text,
      compressed: compressed(text),
    };
  });
  return { assets, inputs: Object.keys(metafile.inputs).map((path) => join(projectDirectory, path)) };
};

/** Puts the files for browsers into the bundle of the function that sends them, and their names into all bundles with pages. */
export const browserAssets = (projectDirectory: string): Plugin => ({
  name: "browser-assets",
  setup(builder) {
    let building: Promise<BrowserAssets> | undefined;
    builder.onStart(() => {
      building = undefined;
    });
    const fill = (filter: RegExp, name: string, describe: (asset: BrowserAsset) => object) =>
      builder.onLoad({ filter }, async () => {
        building ??= buildBrowserAssets(projectDirectory);
        const { assets, inputs } = await building;
        return {
          contents: `export const ${name} = ${JSON.stringify(assets.map(describe))};`,
          loader: "js",
          watchFiles: [...inputs],
          watchDirs: [...clientDirectories, pageStyleDirectory].map((directory) =>
            join(projectDirectory, directory),
          ),
        };
      });
    fill(/\/site\/assets\/built-assets\.ts$/, "builtAssets", ({ text: _, ...asset }) => asset);
    fill(/\/pages\/server\/named-assets\.ts$/, "namedAssets", ({ name, file }) => ({ name, file }));
  },
});
