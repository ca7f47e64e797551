import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The exit code when the output is a message about settings. */
const invalidSettings = 2;

/**
 * Bundles the functions and writes the stage's templates, in a process that ends before the service starts: the CDK takes
 * 200 MB that the service does not need afterwards.
 *
 * @param variables the stage's settings.
 * @returns the cloud assembly's directory.
 * @throws Error with the output of the process when it fails.
 */
export const prepareAssembly = async (
  dataDirectory: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<string> => {
  const directory = join(dataDirectory, "assembly");
  const child = spawn(process.execPath, [import.meta.filename, join(dataDirectory, "build"), directory], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code]: unknown[] = await once(child, "close");
  if (code === invalidSettings) throw new Error(output.trim());
  if (code !== 0) throw new Error(`The functions or their templates could not be built.\n${output.trim()}`);
  return directory;
};

/** Returns the local stage with this process's variables, or ends the process with a message when they are invalid. */
const stageFrom = <Stage>(read: (variables: NodeJS.ProcessEnv) => Stage): Stage => {
  try {
    return read(process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(invalidSettings);
  }
};

// That process: `node assembly.ts <build directory> <assembly directory>`. Only it loads the bundler and the CDK.
if (import.meta.main) {
  const [outdir, assembly] = process.argv.slice(2);
  if (!outdir || !assembly) throw new Error("Name the build directory and the assembly directory.");
  const [{ buildFunctions }, { localStage }] = await Promise.all([
    import("../build.ts"),
    import("../stages.ts"),
  ]);
  const stage = stageFrom(localStage);
  // Tests start the service many times, and build the functions once.
  const built = process.env["BUILT_FUNCTIONS"];
  const [{ directory: bundles }, { synthesize }] = await Promise.all([
    built ? { directory: built } : buildFunctions({ outdir, catalogue: stage.catalogue }),
    import("../synthesize.ts"),
  ]);
  await synthesize({ stage, outdir: assembly, bundles });
}
