import { type ParseArgsConfig, parseArgs } from "node:util";

/** Wrong arguments of a command: its usage is printed below the message. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const wantsHelp = (args: readonly string[]): boolean => args.includes("--help") || args.includes("-h");

const isFromParseArgs = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");

/**
 * Runs a command. `--help` prints its usage, and an error is printed as its message alone.
 *
 * @param usage for `--help`
 * @param run gets the arguments
 */
export const runCommandLine = async (
  usage: string,
  run: (args: string[]) => Promise<void>,
): Promise<void> => {
  const args = process.argv.slice(2);
  if (wantsHelp(args)) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  try {
    await run(args);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isMisused = error instanceof UsageError || isFromParseArgs(error);
    process.stderr.write(isMisused ? `${message}\n${usage}\n` : `${message}\n`);
    process.exitCode = 1;
  }
};

/**
 * Reads the options of a script; other arguments are refused unless it takes them. `--help` prints its usage and ends it; so does a mistake, with 1.
 *
 * @param usage for `--help`
 * @returns the values of the options, and the other arguments as `positionals`
 */
export const readOptions = <const Options extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: Options,
  allowPositionals = false,
) => {
  try {
    if (!wantsHelp(process.argv.slice(2))) {
      const { values, positionals } = parseArgs({ options, allowPositionals });
      return { ...values, positionals };
    }
    process.stdout.write(`${usage}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}\n`);
    process.exitCode = 1;
  }
  process.exit();
};

/**
 * Returns an error for a file that cannot be read.
 *
 * @param what kind of file it is, such as "sample event"
 */
export const unreadableFile = (what: string, path: string, error: unknown): Error => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return new Error(`There is no ${what} ${path}.`);
  return new Error(`The ${what} ${path} cannot be read (${error instanceof Error ? error.message : error}).`);
};
