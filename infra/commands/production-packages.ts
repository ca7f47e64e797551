import * as z from "zod";

const names = z.record(z.string(), z.string()).default({});
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dependencies: names,
      peerDependencies: names,
      optional: z.boolean().default(false),
    }),
  ),
});

type Packages = z.infer<typeof lockFile>["packages"];

/** Where Node finds `name` when the package in `folder` imports it: the nearest `node_modules` upwards. */
const resolve = (packages: Packages, folder: string, name: string): string | undefined => {
  const candidate = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
  if (packages[candidate] !== undefined) return candidate;
  if (folder === "") return undefined;
  return resolve(packages, folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/"))), name);
};

/**
 * The folders of the packages that the functions can be bundled from: what the `dependencies` of the project's own
 * package.json reach in a lockfile. npm marks as production also what only a workspace needs (stand-ins for AWS, sample
 * models), and that is never deployed. Optional packages are left out: they hold binaries of one platform.
 *
 * @param lock the parsed package-lock.json
 */
export const productionPackages = (lock: unknown): ReadonlySet<string> => {
  const { packages } = lockFile.parse(lock);
  const reached = new Set<string>();
  const follow = (folder: string): void => {
    const { dependencies, peerDependencies } = packages[folder] ?? { dependencies: {}, peerDependencies: {} };
    for (const name of [...Object.keys(dependencies), ...Object.keys(peerDependencies)]) {
      const found = resolve(packages, folder, name);
      if (found === undefined || packages[found]?.optional || reached.has(found)) continue;
      reached.add(found);
      follow(found);
    }
  };
  follow("");
  return reached;
};
