import type { Phrase } from "./phrase.ts";
import { courtesy } from "./phrases/courtesy.ts";
import { days } from "./phrases/days.ts";
import { greetings } from "./phrases/greetings.ts";
import { health } from "./phrases/health.ts";
import { market } from "./phrases/market.ts";
import { numbers } from "./phrases/numbers.ts";

/** The whole phrasebook, one phrase per meaning. To extend it, add to a topic, or add a topic here. */
export const phrases: readonly Phrase[] = [
  ...greetings,
  ...courtesy,
  ...numbers,
  ...days,
  ...health,
  ...market,
];
