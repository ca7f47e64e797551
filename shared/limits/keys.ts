import { createHash } from "node:crypto";
import type { AddressLimitClass } from "./policies.ts";

/** Every key of this folder begins with it, so that a function can be allowed to count and to touch nothing else. */
export const limitKeyPrefix = "LIMIT#";

/** The key table of this folder's README, in code. No other file spells a key. */
export const limitKeys = {
  /** C1: what an account sent in a month. */
  account: (userId: number, month: string) => ({
    PK: `${limitKeyPrefix}USER#${userId}`,
    SK: `MONTH#${month}`,
  }),
  /** C2: what an address sent in a minute, counted from 1970. */
  address: (group: string, limitClass: AddressLimitClass, minute: number) => ({
    PK: `${limitKeyPrefix}ADDRESS#${group}`,
    SK: `${limitClass}#${minute}`,
  }),
  /**
   * C3: wrong passwords for an account name, which is matched without case. Only a digest is stored: what people type
   * into that field by mistake is at times their password.
   */
  passwordAttempts: (name: string) => ({
    PK: `${limitKeyPrefix}PASSWORD#${createHash("sha256").update(name.toLowerCase()).digest("base64url")}`,
    SK: "ATTEMPTS",
  }),
};

const twoDigits = (day: number): string => String(day).padStart(2, "0");

/** The counters inside C1, each an attribute. Their names are short because DynamoDB charges for them. */
export const accountCounters = {
  minute: (minuteOfMonth: number) => `m${minuteOfMonth}`,
  day: (dayOfMonth: number) => `d${twoDigits(dayOfMonth)}`,
  operation: (dayOfMonth: number, operationId: string) => `d${twoDigits(dayOfMonth)}:${operationId}`,
  month: "month",
} as const;

/** The minute of the month that a counter is of; `undefined` when it is of another window. */
export const minuteOfCounter = (attribute: string): number | undefined => {
  const digits = /^m(\d+)$/.exec(attribute)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** The day, and the operation if any, that a counter is of; `undefined` when it is of another window. */
export const dayOfCounter = (
  attribute: string,
): { readonly day: number; readonly operation: string | undefined } | undefined => {
  const [, day, operation] = /^d(\d\d)(?::(.+))?$/.exec(attribute) ?? [];
  return day === undefined ? undefined : { day: Number(day), operation };
};
