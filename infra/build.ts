import { join } from "node:path";
import {
  type BuildOptions,
  build,
  context,
  formatMessages,
  type Message,
  type Metafile,
  type Plugin,
} from "esbuild";
import { builtFunctions } from "../functions/manifest.ts";
import type { StageCatalogue } from "../shared/platform/catalogue/stage-catalogue.ts";
import { writeChangedFile } from "./bundling/bundle-files.ts";
import { bundleOptions, projectDirectory } from "./bundling/bundle-options.ts";

const defaultBuildDirectory = join(projectDirectory, ".build");

const functionsIn = (buildDirectory: string): string => join(buildDirectory, "functions");

const entryPoints = Object.fromEntries(
  builtFunctions.map(({ name }) => [name, `functions/${name}/handler.ts`]),
);

/** The folder of the bundled functions in the default build directory. */
export const builtFunctionsDirectory = functionsIn(defaultBuildDirectory);

export interface BuildResult {
  /** Holds `<function>/index.mjs` and `<function>/index.mjs.map`. */
  readonly directory: string;
  /** The contents of each bundle in esbuild's format; also in `metafile.json` in the build directory. */
  readonly metafile: Metafile;
}

/** What a build is for. */
export interface BuildChoice {
  /** The build directory; by default `.build`, which git ignores. */
  readonly outdir?: string;
  /** The voices and languages of the stage; by default those of the specification. */
  readonly catalogue?: StageCatalogue;
}

/**
 * Bundles every function of the manifest in one pass.
 *
 * @throws Error that names each problem with file, line and column.
 */
export const buildFunctions = async (options: BuildChoice = {}): Promise<BuildResult> => {
  const buildDirectory = options.outdir ?? defaultBuildDirectory;
  const directory = functionsIn(buildDirectory);
  const { metafile } = await build(bundleOptions(entryPoints, directory, options.catalogue));
  await writeChangedFile(join(buildDirectory, "metafile.json"), Buffer.from(JSON.stringify(metafile)));
  return { directory, metafile };
};

/**
 * Bundles the functions into the build directory now and whenever a source file changes.
 *
 * @param onRebuild called after every build except the first, with the problems if it failed
 * @returns once the first build has succeeded
 * @throws Error when the first build fails; then it does not watch.
 */
export const watchFunctions = (
  onRebuild: (error?: string) => void,
  options: BuildChoice = {},
): Promise<{ dispose(): Promise<void> }> =>
  watchBundles(
    bundleOptions(entryPoints, functionsIn(options.outdir ?? defaultBuildDirectory), options.catalogue),
    onRebuild,
  );

/**
 * Builds now and whenever a source file changes.
 *
 * @param onRebuild called after every build except the first, with the problems if it failed
 * @returns once the first build has succeeded
 * @throws Error when the first build fails; then it does not watch.
 */
export const watchBundles = async (
  options: BuildOptions,
  onRebuild: (error?: string) => void,
): Promise<{ dispose(): Promise<void> }> => {
  const first = Promise.withResolvers<void>();
  let isFirst = true;
  const onBuild = (error?: string) => {
    if (!isFirst) return onRebuild(error);
    isFirst = false;
    return error === undefined ? first.resolve() : first.reject(new Error(error));
  };

  const plugins = [...(options.plugins ?? []), reportBuilds(onBuild)];
  const watcher = await context({ ...options, plugins });
  try {
    await Promise.all([watcher.watch(), first.promise]);
  } catch (error) {
    await watcher.dispose();
    throw error;
  }
  return watcher;
};

const reportBuilds = (report: (error?: string) => void): Plugin => ({
  name: "report-builds",
  setup(build) {
    build.onEnd(async ({ errors }) => report(errors.length > 0 ? await describe(errors) : undefined));
  },
});

const describe = async (errors: Message[]): Promise<string> =>
  (await formatMessages(errors, { kind: "error" })).join("\n");
