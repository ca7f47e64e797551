import en from "./en.json" with { type: "json" };
import lg from "./lg.json" with { type: "json" };
import sw from "./sw.json" with { type: "json" };

/** The words of each language. In bundles, `infra/bundling/guides.ts` has each parsed for the first page in it. */
export const builtTexts = { en, lg, sw };
