import type { Use } from "../../platform/telemetry/use.ts";

/** What is counted of an account's tasks, and the letter that stands for it in a counter's name. */
const letters = {
  requests: "r",
  errors: "e",
  characters: "c",
  promptTokens: "p",
  completionTokens: "t",
  audioMilliseconds: "a",
} as const satisfies Record<keyof Use | "requests", string>;
export type UsageUnit = keyof typeof letters;

const unitOf: ReadonlyMap<string, UsageUnit> = new Map([
  ["r", "requests"],
  ["e", "errors"],
  ["c", "characters"],
  ["p", "promptTokens"],
  ["t", "completionTokens"],
  ["a", "audioMilliseconds"],
]);

/** What a counter says of whose requests they were: of a token of the account. */
const ofToken = "-";

/** Whose tasks are counted together: those of one operation on one day, sent with one key or with tokens. */
export interface UsageRow {
  /** Days since 1970. */
  readonly day: number;
  readonly operationId: string;
  /** `undefined` for tokens. */
  readonly keyId: string | undefined;
}

/** A counter of usage. */
export interface UsageCounter extends UsageRow {
  readonly unit: UsageUnit;
}

/** The attribute of the access item in which something is counted on a day that is not over. */
export const usageCounter = ({ day, operationId, keyId }: UsageRow, unit: UsageUnit): string =>
  `u${day}:${operationId}:${keyId ?? ofToken}:${letters[unit]}`;

/** The same in the item of a day that is over, whose key says which day it is. */
export const dayCounter = ({ operationId, keyId, unit }: UsageCounter): string =>
  `${operationId}:${keyId ?? ofToken}:${letters[unit]}`;

const counterOf = (day: number, parts: readonly string[]): UsageCounter | undefined => {
  const [operationId, keyId, letter = "", ...others] = parts;
  const unit = unitOf.get(letter);
  if (!operationId || !keyId || !unit || others.length > 0) return undefined;
  return { day, operationId, keyId: keyId === ofToken ? undefined : keyId, unit };
};

/** What an attribute of a day's item counts; `undefined` for one that is no counter. */
export const readDayCounter = (day: number, attribute: string): UsageCounter | undefined =>
  counterOf(day, attribute.split(":"));

/**
 * What an attribute of an access item counts; `undefined` for one that counts no usage. Before there were keys and other
 * units, the requests of an operation were counted in `d<day>:<operation>`.
 */
export const readUsageCounter = (attribute: string): UsageCounter | undefined => {
  if (attribute[0] !== "u" && attribute[0] !== "d") return undefined;
  const [first = "", ...parts] = attribute.split(":");
  const day = Number(first.slice(1));
  if (parts.length === 0 || first.length < 2 || !Number.isInteger(day)) return undefined;
  if (first[0] === "u") return counterOf(day, parts);
  return parts.length === 1 ? counterOf(day, [...parts, ofToken, letters.requests]) : undefined;
};
