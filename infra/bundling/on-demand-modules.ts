import { basename, dirname, join } from "node:path";
import type { Metafile, Plugin } from "esbuild";
import { copyCompanions, writeChangedFile } from "./bundle-files.ts";

/**
 * Modules that a function loads by `import()` when it first needs them, because few requests do: the client of S3 costs a start
 * 36 ms of CPU, and the parser of forms with files 4% of the start of `language`. The readers of documents have 400 kB, what the pages of
 * the documentation are written from has half of the bytes of `site`, and the codecs cost `speech` 4% of its start.
 *
 * Each is bundled alone, so it shares no class with its function: neither may test an instance of the other's.
 */
const modules = [
  "shared/platform/storage/s3-sdk.ts",
  "shared/http/multipart-parser.ts",
  "shared/documents/document-tools.ts",
  "functions/site/docs/documentation-data.ts",
  "shared/audio/encode/mp3.ts",
  "shared/audio/encode/opus.ts",
].map((file) => ({
  file,
  name: basename(file, ".ts"),
  path: `./${basename(file, ".ts")}.mjs`,
}));

/** What the builds into one folder have made so far. */
export interface BuiltTogether {
  readonly outputs: Metafile["outputs"];
  /** The modules of this file, by the names of their files. */
  readonly modules: Map<string, Uint8Array>;
}

export const onDemandEntryPoints = modules.map(({ file, name }) => ({ in: file, out: name }));

type Output = Metafile["outputs"][string];

const loadedBy = ({ imports }: Output) =>
  modules.filter((module) => imports.some(({ path }) => path === module.path));

/** The modules that an output may load, as outputs of the same build. */
export const onDemandOutputs = (outputs: Metafile["outputs"], output: Output): Output[] => {
  const names = loadedBy(output).map(({ path }) => basename(path));
  return Object.entries(outputs).flatMap(([path, module]) =>
    names.includes(basename(path)) ? [module] : [],
  );
};

/** The outputs that a build may have changed: with the modules themselves, those of all functions. */
export const changedOutputs = (built: BuiltTogether, { outputs }: Metafile): Metafile["outputs"] =>
  Object.keys(outputs).some((path) => built.modules.has(basename(path))) ? built.outputs : outputs;

/**
 * Bundles each of these modules once, and puts it next to the functions that may load it.
 *
 * Why not esbuild's `splitting`: in one build of all functions it makes a file of each set of modules that some of them share, which
 * a start then reads one by one; in a build for each function it takes three times as long.
 */
export const onDemandModules = (projectDirectory: string, built: BuiltTogether): Plugin => ({
  name: "on-demand-modules",
  setup(build) {
    const filter = new RegExp(`/(?:${modules.map(({ name }) => name).join("|")})\\.ts$`);
    build.onResolve({ filter }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./${basename(path, ".ts")}.mjs`, external: true } : undefined,
    );
    build.onEnd(async ({ metafile, outputFiles = [] }) => {
      if (!metafile) return;
      Object.assign(built.outputs, metafile.outputs);
      for (const { path, contents } of outputFiles) {
        if (modules.some(({ name }) => basename(path) === `${name}.mjs`))
          built.modules.set(basename(path), contents);
      }
      for (const [output, described] of Object.entries(changedOutputs(built, metafile))) {
        const folder = join(projectDirectory, dirname(output));
        for (const { path } of loadedBy(described)) {
          const contents = built.modules.get(basename(path));
          if (contents) await writeChangedFile(join(folder, path), contents);
        }
        for (const { inputs } of onDemandOutputs(built.outputs, described)) {
          await copyCompanions(projectDirectory, folder, Object.keys(inputs));
        }
      }
    });
  },
});
