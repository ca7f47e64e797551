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
import { functionBuilds, projectDirectory } from "./bundling/bundle-options.ts";

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
 * Bundles every function of the manifest.
 *
 * @throws Error that names each problem with file, line and column.
 */
export const buildFunctions = async (options: BuildChoice = {}): Promise<BuildResult> => {
  const buildDirectory = options.outdir ?? defaultBuildDirectory;
  const directory = functionsIn(buildDirectory);
  const [first, ...others] = functionBuilds(entryPoints, directory, options.catalogue);
  const { metafile } = await build({ ...first, metafile: true });
  for (const { metafile: other } of await Promise.all(
    others.map((one) => build({ ...one, metafile: true })),
  )) {
    Object.assign(metafile.inputs, other.inputs);
    Object.assign(metafile.outputs, other.outputs);
  }
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
    functionBuilds(entryPoints, functionsIn(options.outdir ?? defaultBuildDirectory), options.catalogue),
    onRebuild,
  );

/** Reports when a build begins and when it has ended, with its problems if it failed. */
const reportBuilds = (onStart: () => void, onEnd: (error?: string) => void): Plugin => ({
  name: "report-builds",
  setup(build) {
    build.onStart(onStart);
    build.onEnd(async ({ errors }) => onEnd(errors.length > 0 ? await describe(errors) : undefined));
  },
});

/**
 * Builds now, one after the other, and whenever a source file changes.
 *
 * @param onRebuild called once for all builds that a change has caused, with the problems if some failed
 * @returns once the first build of each has succeeded
 * @throws Error when one of these fails; then it does not watch.
 */
export const watchBundles = async (
  builds: readonly BuildOptions[],
  onRebuild: (error?: string) => void,
): Promise<{ dispose(): Promise<void> }> => {
  const watchers: { dispose(): Promise<void> }[] = [];
  const dispose = async (): Promise<void> => {
    await Promise.all(watchers.map((watcher) => watcher.dispose()));
  };
  const problems: string[] = [];
  let running = 0;
  const watch = async (options: BuildOptions): Promise<void> => {
    const first = Promise.withResolvers<void>();
    let isFirst = true;
    const onEnd = (error?: string): void => {
      running -= 1;
      if (isFirst) {
        isFirst = false;
        if (error === undefined) first.resolve();
        else first.reject(new Error(error));
        return;
      }
      if (error !== undefined) problems.push(error);
      if (running === 0) onRebuild(problems.splice(0).join("\n") || undefined);
    };
    const report = reportBuilds(() => {
      running += 1;
    }, onEnd);
    const watcher = await context({ ...options, plugins: [...(options.plugins ?? []), report] });
    watchers.push(watcher);
    await Promise.all([watcher.watch(), first.promise]);
  };
  try {
    for (const options of builds) await watch(options);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { dispose };
};

const describe = async (errors: Message[]): Promise<string> =>
  (await formatMessages(errors, { kind: "error" })).join("\n");
