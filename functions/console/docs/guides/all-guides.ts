import { firstCall, keys } from "./beginning.ts";
import type { Guide } from "./guide.ts";
import { longRecordings, streaming, uploads } from "./media.ts";
import { errors, limits, webhooks } from "./operating.ts";

/** All guides, in the order in which somebody new needs them. */
export const guides: readonly Guide[] = [
  firstCall,
  keys,
  streaming,
  uploads,
  longRecordings,
  webhooks,
  limits,
  errors,
];
