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
 * @returns the path of its program; `undefined` when the registry does not offer it here
 */
export async function fetchRuntimeClient(folder: string): Promise<string | undefined> {
  const npm = process.env["npm_execpath"];
  const [command, script] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  const pack = [...script, "pack", PACKAGE, "--silent", "--ignore-scripts"];
  const archive = await run(command, pack, { cwd: folder, timeout: 60_000 }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (archive === undefined) return undefined;
  const digest = createHash("sha512")
    .update(await readFile(join(folder, archive)))
    .digest("base64");
  if (digest !== INTEGRITY) throw new Error(`${PACKAGE} is not the package this comparison was written for.`);
  await run("tar", ["-xzf", archive, "package/index.mjs", "package/package.json"], { cwd: folder });
  return join(folder, "package", "index.mjs");
}
