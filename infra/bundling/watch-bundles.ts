import { type BuildOptions, context, formatMessages, type Message, type Plugin } from "esbuild";

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
