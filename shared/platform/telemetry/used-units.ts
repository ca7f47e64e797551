export const usedUnits = [
  "characters",
  "promptTokens",
  "completionTokens",
  "audioMilliseconds",
  "errors",
] as const;
export type UsedUnit = (typeof usedUnits)[number];

/** What a request has used so far. */
export type Use = { [Unit in UsedUnit]?: number };
