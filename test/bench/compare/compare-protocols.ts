import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundleOptions } from "../../../infra/bundling/bundle-options.ts";
import { compareBuilds } from "./compare-builds.ts";
import type { ComparisonSetup } from "./compare-gateways.ts";
import type { Comparison } from "./verdict.ts";

/** Without this much less CPU, code of our own is not worth reading. */
const minSavedPercent = 2;

/** Replaces the one import that decides how texts are exchanged. */
const exchangeOverNode: Plugin = {
  name: "exchange-over-node",
  setup(builder) {
    const replacement = join(import.meta.dirname, "exchange-over-node.ts");
    builder.onResolve({ filter: /\/socket-exchange\.ts$/ }, () => ({ path: replacement }));
  },
};

/** Bundles functions like for deployment, but over `node:http`. */
const buildOverNode = async (names: readonly string[], folder: string): Promise<void> => {
  const entries = Object.fromEntries(names.map((name) => [name, `functions/${name}/handler.ts`]));
  const options = bundleOptions(entries, folder);
  await build({ ...options, plugins: [exchangeOverNode, ...options.plugins] });
};

/** Measures the chat function with our own exchange of texts and with one over `node:http` instead, in one run. */
export const compareProtocols = async (setup: ComparisonSetup, folder: string): Promise<Comparison> => {
  const overNode = join(folder, "over-node");
  await buildOverNode(["authorizer", "chat"], overNode);
  return compareBuilds(
    setup,
    { names: ["own sockets", "node:http"], folder: overNode, minSavedPercent },
    folder,
  );
};
