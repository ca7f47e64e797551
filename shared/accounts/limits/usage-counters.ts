import type { Use } from "../../platform/telemetry/used-units.ts";
import { usedUnits } from "../../platform/telemetry/used-units.ts";

/** The units of usage, each with its letter in a counter's name. */
const letters = {
  requests: "r",
  errors: "e",
  characters: "c",
  promptTokens: "p",
  completionTokens: "t",
  audioMilliseconds: "a",
} as const satisfies Record<keyof Use | "requests", string>;
export type UsageUnit = keyof typeof letters;

/** All units of usage. */
export const usageUnits: readonly UsageUnit[] = ["requests", ...usedUnits];

const unitOf: ReadonlyMap<string, UsageUnit> = new Map(usageUnits.map((unit) => [letters[unit], unit]));

/** In place of a key's id: the requests came with a token. */
const ofToken = "-";

/** Tasks that are counted together: of one operation on one day, sent with one key or with tokens. */
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

/** Returns the attribute of the access item that counts a unit on the present day. */
export const usageCounter = ({ day, operationId, keyId }: UsageRow, unit: UsageUnit): string =>
  `u${day}:${operationId}:${keyId ?? ofToken}:${letters[unit]}`;

/** Returns the same for the item of a past day. */
export const dayCounter = ({ operationId, keyId, unit }: UsageCounter): string =>
  `${operationId}:${keyId ?? ofToken}:${letters[unit]}`;

const counterOf = (day: number, parts: readonly string[]): UsageCounter | undefined => {
  const [operationId, keyId, letter = "", ...others] = parts;
  const unit = unitOf.get(letter);
  if (!operationId || !keyId || !unit || others.length > 0) return undefined;
  return { day, operationId, keyId: keyId === ofToken ? undefined : keyId, unit };
};

/** Reads an attribute of a day's item; `undefined` when it is not a counter. */
export const readDayCounter = (day: number, attribute: string): UsageCounter | undefined =>
  counterOf(day, attribute.split(":"));

/**
 * Reads an attribute of an access item; `undefined` when it does not count usage. Older versions, without keys and other
 * units, counted requests in `d<day>:<operation>`.
 */
export const readUsageCounter = (attribute: string): UsageCounter | undefined => {
  if (attribute[0] !== "u" && attribute[0] !== "d") return undefined;
  const [first = "", ...parts] = attribute.split(":");
  const day = Number(first.slice(1));
  if (parts.length === 0 || first.length < 2 || !Number.isInteger(day)) return undefined;
  if (first[0] === "u") return counterOf(day, parts);
  return parts.length === 1 ? counterOf(day, [...parts, ofToken, letters.requests]) : undefined;
};
