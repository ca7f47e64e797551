import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/**
 * Bundles the functions and writes the stage's templates, in a process that ends before the service starts.
 *
 * @param variables decide the local stage, as an operator's variables decide a deployed one.
 * @returns the cloud assembly's directory.
 * @throws Error with what the process said when it fails.
 */
export const prepareAssembly = async (
  dataDirectory: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<string> => {
  const directory = join(dataDirectory, "assembly");
  const script = join(import.meta.dirname, "prepare-assembly.ts");
  const child = spawn(process.execPath, [script, join(dataDirectory, "build"), directory], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  const [code]: unknown[] = await once(child, "close");
  if (code !== 0)
    throw new Error(`The functions or their templates could not be built.\n${complaint.trim()}`);
  return directory;
};
