import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import type { StageCatalogue } from "../../shared/platform/catalogue/stage-catalogue.ts";
import { browserAssets } from "./browser-assets.ts";
import { builtProfiles } from "./built-profiles.ts";
import { companionFiles, writeChangedFiles } from "./bundle-files.ts";
import { builtGuides } from "./guides.ts";
import { licences } from "./licences.ts";
import { lighterModules } from "./lighter-modules.ts";
import { onDemandEntryPoints, onDemandModules } from "./on-demand-modules.ts";
import { stageCatalogueData } from "./stage-catalogue.ts";
import { withoutDocumentation } from "./without-documentation.ts";

/** The repository's folder, with the entry files and packages. */
export const projectDirectory = join(import.meta.dirname, "../..");

/**
 * Returns esbuild's options for functions: one ES module each, with its dependencies and the AWS SDK. Only
 * what few requests need is a file of its own, next to it.
 *
 * The SDK is bundled because that of the Lambda runtime is larger to load and changes without a deployment.
 *
 * @param entryPoints the entry file of each function, by the function's name
 * @param outdir the folder for `<name>/index.mjs` and its source map
 * @param catalogue the voices and languages of the stage
 */
export const bundleOptions = (
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
  catalogue: StageCatalogue = {},
) =>
  ({
    absWorkingDir: projectDirectory,
    entryPoints: [
      ...Object.entries(entryPoints).map(([name, entry]) => ({ in: entry, out: `${name}/index` })),
      ...onDemandEntryPoints,
    ],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    // The default order would prefer CommonJS builds, which cannot be tree-shaken.
    mainFields: ["module", "main"],
    minify: true,
    // CommonJS packages find their files with it; `companionFiles` copies those to the folder of the bundle.
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
      builtGuides(projectDirectory, catalogue),
      stageCatalogueData(catalogue),
      builtProfiles(catalogue),
      writeChangedFiles(),
      companionFiles(projectDirectory),
      onDemandModules(projectDirectory),
      licences(projectDirectory),
      withoutDocumentation,
    ],
  }) as const satisfies BuildOptions;
