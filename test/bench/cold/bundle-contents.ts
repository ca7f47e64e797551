import { readFile } from "node:fs/promises";
import * as z from "zod";

const metafile = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
});

/** A package, or a folder of this repository. */
const originOf = (path: string): string =>
  /.*node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(path)?.groups?.["name"] ??
  path.split("/").slice(0, 2).join("/");

/**
 * The contents of each bundle, by size.
 *
 *
 * @param file the metafile that a build writes to its folder
 * @returns for each function its origins and their bytes in the bundle
 */
export const readBundleContents = async (
  file: string,
): Promise<Map<string, { readonly origin: string; readonly bytes: number }[]>> => {
  const { outputs } = metafile.parse(JSON.parse(await readFile(file, "utf8")));
  const contents = new Map<string, { origin: string; bytes: number }[]>();
  for (const [output, { inputs }] of Object.entries(outputs)) {
    const name = /(?<name>[^/]+)\/index\.mjs$/.exec(output)?.groups?.["name"];
    if (!name) continue;
    const sums = new Map<string, number>();
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const origin = originOf(path);
      sums.set(origin, (sums.get(origin) ?? 0) + bytesInOutput);
    }
    contents.set(
      name,
      [...sums]
        .map(([origin, bytes]) => ({ origin, bytes }))
        .toSorted((one, other) => other.bytes - one.bytes),
    );
  }
  return contents;
};
