import type { Guide } from "./guide.ts";
import { readGuides } from "./read-guides.ts";

/** All guides in their order. `infra/bundling/guides.ts` reads them at build time, so bundles contain no Markdown parser. */
export const guides: readonly Guide[] = readGuides();
