import { AppError } from "../../platform/errors/app-error.ts";
import { withinTime } from "../../platform/outbound/timeouts.ts";
import type { Item, ItemUpdate, RequestTable } from "../../platform/storage/table.ts";
import { describeError, logger } from "../../platform/telemetry/logger.ts";
import { accountAccess } from "../access/account-access.ts";
import { accountKeys } from "../access/keys.ts";
import { accountCounters } from "./keys.ts";
import { countIn } from "./limit-counters.ts";
import { type MonthlyCount, monthlyCharge, monthlyRefund, monthOfDay } from "./monthly-quota.ts";
import type { AccountPolicies } from "./policies.ts";
import { usageCounter } from "./usage-counters.ts";
import { secondsUntil, windowsAt } from "./windows.ts";

/** Characters to count on an account. */
export interface CountedCharacters {
  readonly userId: number;
  /** The operation on whose row of the usage they are shown; `undefined` when the request counts its usage itself. */
  readonly operationId?: string | undefined;
  readonly keyId?: string | undefined;
  /** The day of the request, counted from 1970: its month counts them. */
  readonly day: number;
  readonly characters: number;
}

/** Returns what characters count on their account's month and usage. */
export const characterCount = ({ operationId, ...counted }: CountedCharacters): MonthlyCount => ({
  userId: counted.userId,
  counter: accountCounters.characters(monthOfDay(counted.day)),
  usage:
    operationId === undefined
      ? undefined
      : usageCounter({ day: counted.day, operationId, keyId: counted.keyId }, "characters"),
  amount: counted.characters,
  limitOf: ({ charactersPerMonth }) => charactersPerMonth,
});

/**
 * Returns the update that counts characters on their account's month, if the account exists and has enough of its quota left.
 * When it fails, {@link characterRefusal} returns the reason.
 */
export const characterCharge = (counted: CountedCharacters, policyOf: AccountPolicies): ItemUpdate =>
  monthlyCharge([characterCount(counted)], policyOf);

/** Returns the update that deducts what was not translated. */
export const characterRefund = (counted: CountedCharacters): ItemUpdate =>
  monthlyRefund([characterCount(counted)]);

/** The characters of an account's month after a request. */
export interface CharacterStatus {
  readonly used: number;
  /** `undefined` for accounts without a limit. */
  readonly limit: number | undefined;
  readonly resetSeconds: number;
}

const statusOf = (access: Item, day: number, policyOf: AccountPolicies, now: number): CharacterStatus => ({
  used: countIn(access, accountCounters.characters(monthOfDay(day))),
  limit: policyOf(accountAccess.parse(access)).charactersPerMonth,
  resetSeconds: secondsUntil(windowsAt(now).ends.month, now),
});

/**
 * Returns why characters were not counted.
 *
 * @param access the access item of the account; `undefined` when there is none.
 */
export const characterRefusal = (
  access: Item | undefined,
  { day, characters }: CountedCharacters,
  policyOf: AccountPolicies,
  now: number,
): AppError => {
  if (!access || access["deletion_began"] !== undefined) return new AppError("unauthenticated");
  const { used, limit = 0, resetSeconds } = statusOf(access, day, policyOf, now);
  return new AppError("quota_exceeded", {
    message:
      `Lists, documents and translated recordings may have ${limit} characters a month for this account; ` +
      `${Math.max(0, limit - used)} are left, and this request has ${characters}.`,
    retryAfterSeconds: resetSeconds,
  });
};

/** Counts the characters of requests that are translated at once. */
export interface CharacterQuota {
  /** Counts characters before they are translated. @throws AppError `quota_exceeded`; the table's errors. */
  charge(userId: number, characters: number): Promise<CharacterStatus>;
  /** Deducts characters that were not translated. Never rejects: they stay counted when the table fails. */
  refund(userId: number, characters: number): Promise<CharacterStatus | undefined>;
  /** @throws AppError `unauthenticated` when the account is gone; the table's errors. */
  read(userId: number): Promise<CharacterStatus>;
}

/** How long to wait for the table. Then a request is refused, or its characters stay counted. */
const tableMilliseconds = 3_000;

/** Creates the quota of characters over the accounts' access items. */
export const createCharacterQuota = (
  table: Pick<RequestTable, "read" | "update">,
  policyOf: AccountPolicies,
  now: () => number = Date.now,
): CharacterQuota => {
  const countedNow = (userId: number, characters: number): CountedCharacters => ({
    userId,
    day: windowsAt(now()).day,
    characters,
  });
  const statusAfter = (item: Item, { day }: CountedCharacters) => statusOf(item, day, policyOf, now());
  return {
    charge: async (userId, characters) => {
      const counted = countedNow(userId, characters);
      const { applied, item } = await withinTime(tableMilliseconds, (signal) =>
        table.update(characterCharge(counted, policyOf), signal),
      );
      if (applied) return statusAfter(item, counted);
      throw characterRefusal("PK" in item ? item : undefined, counted, policyOf, now());
    },
    refund: async (userId, characters) => {
      const counted = countedNow(userId, characters);
      try {
        const { applied, item } = await withinTime(tableMilliseconds, (signal) =>
          table.update(characterRefund(counted), signal),
        );
        return applied ? statusAfter(item, counted) : undefined;
      } catch (error) {
        logger.error("limits.characters_not_refunded", { reason: describeError(error) });
        return undefined;
      }
    },
    read: async (userId) => {
      const access = await withinTime(tableMilliseconds, (signal) =>
        table.read({ Key: accountKeys.access(userId) }, signal),
      );
      if (!access) throw new AppError("unauthenticated");
      return statusAfter(access, countedNow(userId, 0));
    },
  };
};
