import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { projectDirectory } from "../../../infra/bundling/bundle-options.ts";
import { ToolMissing } from "../run-parts.ts";
import lastRelease from "./last-release.json" with { type: "json" };

const run = promisify(execFile);

const installMilliseconds = 5 * 60_000;

/** The scope of the packages in `infra/packages`, which are part of each release. */
const ownScope = "@language-ai";

const lockfile = z.object({
  packages: z.record(z.string(), z.object({ integrity: z.string().optional() })),
});
const manifest = z.object({ version: z.string() });

const readJson = async <Content>(
  schema: z.ZodType<Content>,
  folder: string,
  name: string,
): Promise<Content> => schema.parse(JSON.parse(await readFile(join(folder, name), "utf8")));

/** Whether the installed packages include all packages of the release, byte for byte. */
const hasSamePackages = async (folder: string): Promise<boolean> => {
  const { packages: installed } = await readJson(lockfile, projectDirectory, "package-lock.json");
  const { packages: wanted } = await readJson(lockfile, folder, "package-lock.json");
  return Object.entries(wanted).every(
    ([path, { integrity }]) => integrity === undefined || installed[path]?.integrity === integrity,
  );
};

const linkAll = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true });
  const names = (await readdir(from)).filter((name) => name !== ownScope);
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))));
};

/** Links the installed packages, and the release's own packages, into its `node_modules`. */
export const linkPackages = async (folder: string): Promise<void> => {
  const modules = join(folder, "node_modules");
  await linkAll(join(projectDirectory, "node_modules"), modules);
  await mkdir(join(modules, ownScope));
  for (const name of await readdir(join(folder, "infra", "packages"))) {
    await symlink(join(folder, "infra", "packages", name), join(modules, ownScope, name));
    const nested = join("infra", "packages", name, "node_modules");
    const isNested = await stat(join(projectDirectory, nested)).then(
      () => true,
      () => false,
    );
    if (isNested) await linkAll(join(projectDirectory, nested), join(folder, nested));
  }
};

const installPackages = async (folder: string): Promise<void> => {
  const options = { cwd: folder, timeout: installMilliseconds };
  await run("npm", ["ci", "--no-audit", "--no-fund", "--prefer-offline"], options).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
    throw new ToolMissing(`the packages of the last release cannot be installed (${reason})`);
  });
};

/** The last release in reports. */
export const releaseName = `${lastRelease.version} (${lastRelease.commit.slice(0, 7)})`;

/**
 * Unpacks the release that `last-release.json` names from the history of this repository, with its packages.
 *
 * @param folder an empty folder that becomes the root of the release.
 * @throws ToolMissing when the history does not contain it, or its packages cannot be installed.
 */
export const unpackLastRelease = async (folder: string): Promise<void> => {
  const { commit, version } = lastRelease;
  const options = { cwd: projectDirectory };
  await run("git", ["cat-file", "-e", `${commit}^{commit}`], options).catch(() => {
    throw new ToolMissing(
      `this clone does not contain the last release, ${releaseName}; run \`git fetch --unshallow\``,
    );
  });
  const archive = join(folder, "release.tar");
  await run("git", ["archive", "--format=tar", `--output=${archive}`, commit], options);
  await run("tar", ["-xf", archive, "-C", folder]);
  const { version: found } = await readJson(manifest, folder, "package.json");
  if (found !== version) throw new Error(`${commit} is version ${found}; last-release.json says ${version}.`);
  await ((await hasSamePackages(folder)) ? linkPackages(folder) : installPackages(folder));
};
