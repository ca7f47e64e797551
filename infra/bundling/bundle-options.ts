import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { browserAssets } from "./browser-assets.ts";
import { companionFiles, writeChangedFiles } from "./bundle-files.ts";
import { builtGuides } from "./guides.ts";
import { lighterModules } from "./lighter-modules.ts";

/** The repository's folder, from which entry files and packages are found. */
export const projectDirectory = join(import.meta.dirname, "../..");

/**
 * How functions are bundled: one ES module each, dependencies and AWS SDK included.
 *
 * The SDK is bundled because the one of the Lambda runtime is larger to load and changes without a deployment.
 *
 * @param entryPoints the entry file of each function, by the function's name
 * @param outdir receives `<name>/index.mjs` and its source map
 */
export const bundleOptions = (entryPoints: Readonly<Record<string, string>>, outdir: string) =>
  ({
    absWorkingDir: projectDirectory,
    entryPoints: Object.entries(entryPoints).map(([name, entry]) => ({ in: entry, out: `${name}/index` })),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    // The default order would prefer CommonJS builds, which cannot be tree-shaken.
    mainFields: ["module", "main"],
    minify: true,
    // CommonJS packages look for files beside themselves by it; `companionFiles` puts those beside the bundle.
    define: { __dirname: "import.meta.dirname", "import.meta.resolve": "besideBundle" },
    inject: ["infra/bundling/beside-bundle.ts"],
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "silent",
    plugins: [
      ...lighterModules,
      browserAssets(projectDirectory),
      builtGuides(projectDirectory),
      writeChangedFiles(),
      companionFiles(projectDirectory),
    ],
  }) as const satisfies BuildOptions;
