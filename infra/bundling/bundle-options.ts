import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BuildOptions } from "esbuild";
import type { StageCatalogue } from "../../shared/platform/catalogue/stage-catalogue.ts";
import { browserAssets } from "./browser-assets.ts";
import { builtProfiles } from "./built-profiles.ts";
import { companionFiles, writeChangedFiles } from "./bundle-files.ts";
import { builtGuides } from "./guides.ts";
import { licences } from "./licences.ts";
import { lighterModules } from "./lighter-modules.ts";
import { type BuiltTogether, onDemandEntryPoints, onDemandModules } from "./on-demand-modules.ts";
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
 * @param built what other builds into the folder have made
 */
export const bundleOptions = (
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
  catalogue: StageCatalogue = {},
  built: BuiltTogether = { outputs: {}, modules: new Map() },
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
      onDemandModules(projectDirectory, built),
      licences(projectDirectory, built),
      withoutDocumentation,
    ],
  }) as const satisfies BuildOptions;

/** Whether a function loads some of its endpoints with their first request, from a file of this name in its folder. */
const hasFurtherEndpoints = (entry: string): boolean =>
  existsSync(join(projectDirectory, dirname(entry), "further-endpoints.ts"));

/**
 * Returns esbuild's options for all functions, one build or more; the first must end before the others begin, because it has the modules
 * that they place next to their bundles. A function with further endpoints is built alone and consists of three files: what only its
 * start needs, what only those endpoints need, and what both do. All functions in one such build would have many that each start reads.
 *
 * @param entryPoints the entry file of each function, by the function's name
 */
export const functionBuilds = (
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
  catalogue: StageCatalogue = {},
): readonly [BuildOptions, ...BuildOptions[]] => {
  const built: BuiltTogether = { outputs: {}, modules: new Map() };
  const entries = Object.entries(entryPoints);
  const together = Object.fromEntries(entries.filter(([, entry]) => !hasFurtherEndpoints(entry)));
  const apart = entries.filter(([, entry]) => hasFurtherEndpoints(entry));
  return [
    bundleOptions(together, outdir, catalogue, built),
    ...apart.map(([name, entry]) => ({
      ...bundleOptions({}, outdir, catalogue, built),
      entryPoints: [{ in: entry, out: `${name}/index` }],
      splitting: true,
      chunkNames: `${name}/[name]`,
    })),
  ];
};
