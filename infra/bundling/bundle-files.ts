import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "esbuild";
import { unpackWeights } from "../../shared/models/language-id/weights.ts";
import { unpackSparseWeights } from "../../shared/models/source-language/weights.ts";

/**
 * Writes a file in one step, and only when its content differs.
 *
 * A service that runs from these files never loads half a bundle, and a build without changes touches no file.
 */
export const writeChangedFile = async (path: string, contents: Uint8Array): Promise<void> => {
  const present = await readFile(path).catch(() => undefined);
  if (present?.equals(contents)) return;
  const folder = dirname(path);
  // Outside the folder, because everything inside it is deployed. Builds that watch may write one file at the same time.
  const draft = `${folder}.${basename(path)}.${randomUUID()}`;
  await mkdir(folder, { recursive: true });
  await writeFile(draft, contents);
  await rename(draft, path);
};

/** Lets esbuild keep its output in memory (`write: false`) and writes what changed. */
export const writeChangedFiles = (): Plugin => ({
  name: "write-changed-files",
  setup(build) {
    build.onEnd(async ({ outputFiles = [] }) => {
      await Promise.all(outputFiles.map(({ path, contents }) => writeChangedFile(path, contents)));
    });
  },
});

interface Companion {
  readonly file: string;
  /** The files with its licence, unless it is ours. */
  readonly licences?: readonly string[];
  /** Runs in the build, not in each start. */
  readonly unpack?: (bytes: Uint8Array) => Uint8Array;
}

/** Files that a module reads from its own folder, which for a bundled module is that of the bundle. */
const companions: Readonly<Record<string, readonly Companion[]>> = {
  "shared/models/language-id/weights.ts": [
    { file: "shared/models/language-id/weights.bin", unpack: unpackWeights },
  ],
  "shared/models/source-language/weights.ts": [
    { file: "shared/models/source-language/source-language.bin", unpack: unpackSparseWeights },
  ],
  "shared/models/spoken-language/word-order.ts": [{ file: "shared/models/spoken-language/word-order.bin" }],
  "shared/audio/encode/opus.ts": [
    {
      file: "node_modules/opusscript/build/opusscript_native_wasm.wasm",
      licences: ["node_modules/opusscript/build/COPYING.libopus"],
    },
  ],
  "shared/audio/encode/mp3.ts": [
    {
      file: "node_modules/wasm-media-encoders/wasm/mp3.wasm",
      licences: ["shared/audio/encode/COPYING.LAME"],
    },
  ],
};

/** Returns the files that go with these modules. */
export const companionsIn = (inputs: readonly string[]): readonly Companion[] =>
  inputs.flatMap((module) => companions[module] ?? []);

const unchanged = (bytes: Uint8Array): Uint8Array => bytes;

/** Copies the companions of modules to the folder of a bundle. */
export const copyCompanions = async (
  projectDirectory: string,
  folder: string,
  inputs: readonly string[],
): Promise<void> => {
  for (const { file, unpack = unchanged } of companionsIn(inputs)) {
    const bytes = await readFile(join(projectDirectory, file));
    await writeChangedFile(join(folder, basename(file)), unpack(bytes));
  }
};

/** Copies the companions of a bundle's modules to its folder. */
export const companionFiles = (projectDirectory: string): Plugin => ({
  name: "companion-files",
  setup(build) {
    build.onEnd(async ({ metafile }) => {
      for (const [output, { inputs }] of Object.entries(metafile?.outputs ?? {})) {
        await copyCompanions(projectDirectory, join(projectDirectory, dirname(output)), Object.keys(inputs));
      }
    });
  },
});
