import type { AllNotices } from "./notice.ts";
import { readNotices } from "./read-notices.ts";

/** The notices of all stages. `infra/bundling/guides.ts` reads them at build time, so bundles contain no Markdown parser. */
export const notices: AllNotices = readNotices();
