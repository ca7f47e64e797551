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
import { functionDefinitions } from "../functions/manifest.ts";
import { writeChangedFile } from "./bundling/bundle-files.ts";
import { bundleOptions, projectDirectory } from "./bundling/bundle-options.ts";

const defaultBuildDirectory = join(projectDirectory, ".build");

const functionsIn = (buildDirectory: string): string => join(buildDirectory, "functions");

const entryPoints = Object.fromEntries(
  functionDefinitions.map(({ name }) => [name, `functions/${name}/handler.ts`]),
);

/** Where the bundled functions are, as long as no other build directory is named. */
export const builtFunctionsDirectory = functionsIn(defaultBuildDirectory);

/** What a build gives. */
export interface BuildResult {
  /** Holds `<function>/index.mjs` and `<function>/index.mjs.map`. */
  readonly directory: string;
  /** What went into each bundle, in esbuild's form; also in `metafile.json` in the build directory. */
  readonly metafile: Metafile;
}

/**
 * Bundles every function of the manifest in one pass.
 *
 * @param options.outdir the build directory; by default `.build`, which git ignores
 * @throws Error whose message names each problem with file, line and column.
 */
export const buildFunctions = async (options: { readonly outdir?: string } = {}): Promise<BuildResult> => {
  const buildDirectory = options.outdir ?? defaultBuildDirectory;
  const directory = functionsIn(buildDirectory);
  const { metafile } = await build(bundleOptions(entryPoints, directory));
  await writeChangedFile(join(buildDirectory, "metafile.json"), Buffer.from(JSON.stringify(metafile)));
  return { directory, metafile };
};

/**
 * Bundles the functions into the build directory, and again whenever one of their source files changes.
 *
 * @param options.outdir the build directory, as for {@link buildFunctions}
 * @param onRebuild called after every build but the first, with the problems when it failed
 * @returns once the first build has succeeded
 * @throws Error when the first build fails; nothing is watched then.
 */
export const watchFunctions = (
  onRebuild: (error?: string) => void,
  options: { readonly outdir?: string } = {},
): Promise<{ dispose(): Promise<void> }> =>
  watchBundles(bundleOptions(entryPoints, functionsIn(options.outdir ?? defaultBuildDirectory)), onRebuild);

/**
 * Builds, and builds again whenever one of the source files changes.
 *
 * @param onRebuild called after every build but the first, with the problems when it failed
 * @returns once the first build has succeeded
 * @throws Error when the first build fails; nothing is watched then.
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
