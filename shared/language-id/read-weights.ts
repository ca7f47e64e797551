import { readFileSync } from "node:fs";

/**
 * Reads the weights that lie beside this file, or beside the bundle this file has become part of: whoever bundles
 * it copies `weights.bin` next to the output. A separate file costs nothing in functions that do not read it.
 */
export const readWeights = (): Uint8Array => readFileSync(new URL("./weights.bin", import.meta.url));
