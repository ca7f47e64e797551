import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import * as z from "zod";

const outputs = z.record(
  z.string(),
  z.object({
    inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })),
    imports: z.array(z.object({ path: z.string(), kind: z.string() })),
  }),
);
type Outputs = z.infer<typeof outputs>;
const metafile = z.object({ outputs });

/** The code of a function. */
export interface BundleContents {
  /** The files that its start loads, relative to the entry's folder. */
  readonly files: readonly string[];
  /** Those that are loaded when they are first needed. */
  readonly laterFiles: readonly string[];
  /** Packages and folders of this repository in the files of the start, largest first. */
  readonly parts: readonly { readonly origin: string; readonly bytes: number }[];
}

/** A package, or a folder of this repository. */
const originOf = (path: string): string =>
  /.*node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(path)?.groups?.["name"] ??
  path.split("/").slice(0, 2).join("/");

/** The output that an import loads: one of this build, or a file that the build copies next to it; `undefined` for Node's. */
const importedBy = (all: Outputs, output: string, path: string): string | undefined => {
  if (path in all) return path;
  return path.startsWith("./") ? join(dirname(output), path) : undefined;
};

/** The outputs that one reaches through imports; `isLater` includes those by `import()`. */
const reach = (all: Outputs, entry: string, isLater: boolean): Set<string> => {
  const reached = new Set([entry]);
  // A set's iteration continues with what is added to it.
  for (const output of reached) {
    for (const { path, kind } of all[output]?.imports ?? []) {
      const imported = importedBy(all, output, path);
      if (imported && (isLater || kind === "import-statement")) reached.add(imported);
    }
  }
  return reached;
};

const partsOf = (all: Outputs, files: Iterable<string>): BundleContents["parts"] => {
  const sums = new Map<string, number>();
  for (const file of files) {
    for (const [path, { bytesInOutput }] of Object.entries(all[file]?.inputs ?? {})) {
      const origin = originOf(path);
      sums.set(origin, (sums.get(origin) ?? 0) + bytesInOutput);
    }
  }
  return [...sums]
    .map(([origin, bytes]) => ({ origin, bytes }))
    .toSorted((one, other) => other.bytes - one.bytes);
};

/** Reads the contents of each bundle by function. @param file the metafile that a build writes to its folder. */
export const readBundleContents = async (file: string): Promise<Map<string, BundleContents>> => {
  const { outputs: all } = metafile.parse(JSON.parse(await readFile(file, "utf8")));
  const contents = new Map<string, BundleContents>();
  for (const entry of Object.keys(all)) {
    const name = /(?<name>[^/]+)\/index\.mjs$/.exec(entry)?.groups?.["name"];
    if (!name) continue;
    const atStart = reach(all, entry, false);
    const later = [...reach(all, entry, true)].filter((output) => !atStart.has(output));
    const inFolder = (output: string): string => relative(dirname(entry), output);
    contents.set(name, {
      files: [...atStart].map(inFolder),
      laterFiles: later.map(inFolder),
      parts: partsOf(all, atStart),
    });
  }
  return contents;
};
