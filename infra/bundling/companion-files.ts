import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "esbuild";
import { writeChangedFile } from "./write-changed-files.ts";

/** Files that a module reads from beside itself, and so from beside the bundle it has become part of. */
const companions: Readonly<Record<string, string>> = {
  "shared/language-id/read-weights.ts": "shared/language-id/weights.bin",
  "functions/messaging/voice/libopus.ts": "node_modules/opusscript/build/opusscript_native_wasm.wasm",
};

/** Puts the companions of the modules in a bundle next to it; bundles without such a module stay as small as they are. */
export const companionFiles = (projectDirectory: string): Plugin => ({
  name: "companion-files",
  setup(build) {
    build.onEnd(async ({ metafile }) => {
      for (const [output, { inputs }] of Object.entries(metafile?.outputs ?? {})) {
        for (const [module, companion] of Object.entries(companions)) {
          if (!(module in inputs)) continue;
          const target = join(projectDirectory, dirname(output), basename(companion));
          await writeChangedFile(target, await readFile(join(projectDirectory, companion)));
        }
      }
    });
  },
});
