import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { settingNames } from "../stage-settings.ts";

/** The exit code when the output is a message about settings. */
const invalidSettings = 2;

type Variables = Readonly<Record<string, string | undefined>>;

const ownAddress = /127\.0\.0\.1:\d+/g;

/** Replaces the addresses of this machine: the first one by the first of the others, and so on. */
const replaceAddresses = (text: string, own: readonly string[], others: readonly string[]): string =>
  text.replaceAll(ownAddress, (address) => others[own.indexOf(address)] ?? address);

/**
 * The templates of services that differ in nothing but addresses of this machine are written once, into a folder of `BUILT_TEMPLATES`.
 *
 * @param write writes them into a folder.
 */
const writeOnce = async (
  directory: string,
  variables: Variables,
  write: (directory: string) => Promise<void>,
): Promise<void> => {
  const given = { ...process.env, ...variables };
  const { BUILT_TEMPLATES: folder, BUILT_FUNCTIONS: bundles, STAGE_DIR: catalogue } = given;
  if (!folder || !bundles || catalogue) return write(directory);
  const settings = JSON.stringify([bundles, ...settingNames.map((name) => given[name])]);
  const addresses = [...new Set(settings.match(ownAddress))];
  const key = replaceAddresses(settings, addresses, [...addresses.keys()].map(String));
  const earlier = join(folder, createHash("sha256").update(key).digest("hex"));
  const files = await readdir(earlier).catch(() => undefined);
  if (!files) {
    await write(directory);
    const copy = `${earlier}-${process.pid}`;
    await cp(directory, copy, { recursive: true });
    await writeFile(join(copy, "addresses"), addresses.join(" "));
    // Another process may have been faster.
    await rename(copy, earlier).catch(() => undefined);
    return;
  }
  const theirs = (await readFile(join(earlier, "addresses"), "utf8")).split(" ");
  await mkdir(directory, { recursive: true });
  for (const file of files) {
    const text = await readFile(join(earlier, file), "utf8");
    await writeFile(join(directory, file), replaceAddresses(text, theirs, addresses));
  }
};

/**
 * Bundles the functions and writes the stage's templates, in a process that ends before the service starts: the CDK takes
 * 200 MB that the service does not need afterwards.
 *
 * @param variables the stage's settings.
 * @returns the cloud assembly's directory.
 * @throws Error with the output of the process when it fails.
 */
export const prepareAssembly = async (dataDirectory: string, variables: Variables): Promise<string> => {
  const assembly = join(dataDirectory, "assembly");
  await writeOnce(assembly, variables, (directory) =>
    runSynthesis(join(dataDirectory, "build"), directory, variables),
  );
  return assembly;
};

const runSynthesis = async (build: string, directory: string, variables: Variables): Promise<void> => {
  const child = spawn(process.execPath, [import.meta.filename, build, directory], {
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
  // Spares each start of the service the second that compiling the CDK takes.
  enableCompileCache();
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
