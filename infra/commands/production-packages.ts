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

/** Returns the folder in which Node finds `name` for a package in `folder`: in the nearest `node_modules` upwards. */
const resolve = (packages: Packages, folder: string, name: string): string | undefined => {
  const candidate = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
  if (packages[candidate] !== undefined) return candidate;
  if (folder === "") return undefined;
  return resolve(packages, folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/"))), name);
};

/**
 * Returns the folders of the packages that bundles may contain: those that the `dependencies` of the project's own package.json
 * reach in a lockfile. npm also marks packages as production that only a workspace needs (stand-ins for AWS, sample models),
 * which are never deployed. Optional packages are left out: they are binaries for one platform.
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
