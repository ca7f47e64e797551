import { basename, dirname, join } from "node:path";
import type { Metafile, Plugin } from "esbuild";
import { writeChangedFile } from "./bundle-files.ts";

/** Loaded by `import()` when a function first needs it: the client of S3, which costs a start 36 ms of CPU. */
const onDemandModule = "shared/platform/storage/s3-sdk.ts";

const name = basename(onDemandModule, ".ts");

export const onDemandEntryPoint = { in: onDemandModule, out: name };

const path = `./${name}.mjs`;

/** The module as an output, if this one may load it. */
export const onDemandOutputs = (
  outputs: Metafile["outputs"],
  { imports }: Metafile["outputs"][string],
): Metafile["outputs"][string][] =>
  imports.some((one) => one.path === path)
    ? Object.entries(outputs).flatMap(([output, module]) =>
        basename(output) === basename(path) ? [module] : [],
      )
    : [];

/**
 * Bundles a module once, and puts it next to each function that may load it.
 *
 * Why not esbuild's `splitting`: in one build of all functions it makes a file of each set of modules that some of them share, which
 * a start then reads one by one; in a build for each function it takes three times as long.
 */
export const onDemandModules = (projectDirectory: string): Plugin => ({
  name: "on-demand-modules",
  setup(build) {
    build.onResolve({ filter: new RegExp(`/${name}\\.ts$`) }, ({ kind }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
    build.onEnd(async ({ metafile, outputFiles = [] }) => {
      const module = outputFiles.find((file) => basename(file.path) === basename(path));
      for (const [output, { imports }] of Object.entries(metafile?.outputs ?? {})) {
        if (!module || !imports.some((one) => one.path === path)) continue;
        await writeChangedFile(join(projectDirectory, dirname(output), path), module.contents);
      }
    });
  },
});
