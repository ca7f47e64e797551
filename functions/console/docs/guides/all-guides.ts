import { firstCallGuide, keysGuide } from "./beginning.ts";
import type { Guide } from "./guide.ts";
import { longRecordingsGuide, streamingGuide, uploadsGuide } from "./media.ts";
import { errorsGuide, limitsGuide, webhooksGuide } from "./operating.ts";

/** All guides, in the order in which somebody new needs them. */
export const guides: readonly Guide[] = [
  firstCallGuide,
  keysGuide,
  streamingGuide,
  uploadsGuide,
  longRecordingsGuide,
  webhooksGuide,
  limitsGuide,
  errorsGuide,
];
