import type { Plugin } from "esbuild";
import { completeProfilesWith } from "../../shared/models/inference/complete-profiles.ts";
import type { StageCatalogue } from "../../shared/platform/catalogue/stage-catalogue.ts";

/** Puts all profiles with their defaults into the bundles, so a function neither reads nor checks them. */
export const builtProfiles = ({ profiles }: StageCatalogue): Plugin => ({
  name: "built-profiles",
  setup(builder) {
    builder.onLoad({ filter: /\/inference\/complete-profiles\.ts$/ }, () => ({
      contents: `export const completeProfiles = ${JSON.stringify(completeProfilesWith(profiles))};`,
      loader: "js",
    }));
  },
});
