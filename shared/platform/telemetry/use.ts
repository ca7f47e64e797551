import { requestScope } from "./request-scope.ts";

/** The units counted for a request in addition to the request itself. */
export const usedUnits = [
  "characters",
  "promptTokens",
  "completionTokens",
  "audioMilliseconds",
  "errors",
] as const;
type UsedUnit = (typeof usedUnits)[number];

/** What a request has used so far; what is absent it has not used. */
export type Use = { [Unit in UsedUnit]?: number };

/**
 * Notes what the current request has used, as soon as it is known. It is counted on the account when the request
 * ends, unless that is refunded; outside of a request, and for requests without an account, it does nothing.
 *
 * Whole numbers, so that sums are exact. Errors are those of a batch's items: a failed request is counted without it.
 */
export const countUse = (unit: UsedUnit, amount: number): void => {
  const use = requestScope()?.use;
  if (use) use[unit] = (use[unit] ?? 0) + amount;
};

/** Notes the characters of a text, by code points, as its limits count them. */
export const countCharacters = (text: string): void => {
  let characters = 0;
  for (const _ of text) characters += 1;
  countUse("characters", characters);
};

/** Notes the tokens of a reply, as its model's server has counted them. */
export const countTokens = (
  usage:
    | { readonly prompt_tokens: number | null; readonly completion_tokens: number | null }
    | null
    | undefined,
): void => {
  if (usage?.prompt_tokens) countUse("promptTokens", usage.prompt_tokens);
  if (usage?.completion_tokens) countUse("completionTokens", usage.completion_tokens);
};

/** Notes how long the audio is that was written down or spoken. */
export const countAudio = (seconds: number): void => {
  if (seconds > 0) countUse("audioMilliseconds", Math.round(seconds * 1_000));
};
