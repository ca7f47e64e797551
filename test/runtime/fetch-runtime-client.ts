import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const PACKAGE = "aws-lambda-ric@4.0.2";
const INTEGRITY = "FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==";

const run = promisify(execFile);

/**
 * Fetches AWS's published runtime client into a folder, and runs none of its scripts: they would compile a
 * native part, which takes a C++ tool chain.
 *
 * @returns the path of its program
 */
export async function fetchRuntimeClient(folder: string): Promise<string> {
  const npm = process.env["npm_execpath"];
  const [command, script] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  const { stdout } = await run(command, [...script, "pack", PACKAGE, "--silent", "--ignore-scripts"], {
    cwd: folder,
    timeout: 60_000,
  });
  const archive = stdout.trim();
  const digest = createHash("sha512")
    .update(await readFile(join(folder, archive)))
    .digest("base64");
  if (digest !== INTEGRITY) throw new Error(`${PACKAGE} is not the package this comparison was written for.`);
  await run("tar", ["-xzf", archive, "package/index.mjs", "package/package.json"], { cwd: folder });
  return join(folder, "package", "index.mjs");
}
