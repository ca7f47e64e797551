import { requestScope } from "./request-scope.ts";
import type { UsedUnit } from "./used-units.ts";

/**
 * Counts what the current request has used. Its account is charged when the request ends, unless it is refunded; without a
 * request or an account it does nothing.
 *
 * Whole numbers keep sums exact. Errors are those of a batch's items: a failed request is counted without it.
 */
export const countUse = (unit: UsedUnit, amount: number): void => {
  const use = requestScope()?.use;
  if (use) use[unit] = (use[unit] ?? 0) + amount;
};

/** Counts code points, as the limits of texts do. */
export const countCharacters = (text: string): void => {
  let characters = 0;
  for (const _ of text) characters += 1;
  countUse("characters", characters);
};

/** Counts the tokens of a reply, by its model's server. */
export const countTokens = (
  usage:
    | { readonly prompt_tokens: number | null; readonly completion_tokens: number | null }
    | null
    | undefined,
): void => {
  if (usage?.prompt_tokens) countUse("promptTokens", usage.prompt_tokens);
  if (usage?.completion_tokens) countUse("completionTokens", usage.completion_tokens);
};

/** Counts the length of audio that was transcribed or synthesised. */
export const countAudio = (seconds: number): void => {
  if (seconds > 0) countUse("audioMilliseconds", Math.round(seconds * 1_000));
};
