import { dayMilliseconds } from "../../platform/durations.ts";
import type { ItemUpdate } from "../../platform/storage/table.ts";
import { accountTypes } from "../access/account-access.ts";
import { accountKeys } from "../access/keys.ts";
import type { AccountPolicies, AccountPolicy } from "./policies.ts";
import { monthOf } from "./windows.ts";

/** What is counted on an account's month apart from tasks. */
export interface MonthlyCount {
  readonly userId: number;
  /** The counter of the month in the account's access item. */
  readonly counter: string;
  /** The counter of usage that shows the same; `undefined` when the request counts it itself. */
  readonly usage: string | undefined;
  readonly amount: number;
  /** Returns the limit of a policy, in the unit of the amount; `undefined` for none. */
  readonly limitOf: (policy: AccountPolicy) => number | undefined;
}

/** Returns the month of a day that is counted from 1970. */
export const monthOfDay = (day: number): string => monthOf(day * dayMilliseconds);

/** The changes of one access item. The counts are of the same account. */
const addition = (counts: readonly MonthlyCount[], sign: 1 | -1) => {
  const names: Record<string, string> = {};
  const values: Record<string, number> = {};
  const additions = counts.flatMap(({ counter, usage, amount }, index) => {
    names[`#counter${index}`] = counter;
    values[`:amount${index}`] = sign * amount;
    if (usage === undefined) return [`#counter${index} :amount${index}`];
    names[`#usage${index}`] = usage;
    return [`#counter${index} :amount${index}`, `#usage${index} :amount${index}`];
  });
  const [first] = counts;
  if (!first) throw new Error("There is nothing to count.");
  return {
    Key: accountKeys.access(first.userId),
    UpdateExpression: `ADD ${additions.join(", ")}`,
    names,
    values,
  };
};

/**
 * Returns the update that counts amounts on their account's month, all of them or none, if the account exists and has enough of
 * its quotas left. It can be part of a transaction.
 */
export const monthlyCharge = (counts: readonly MonthlyCount[], policyOf: AccountPolicies): ItemUpdate => {
  const { names, values, ...change } = addition(counts, 1);
  const limits: Record<string, string | number | boolean> = {};
  const alternatives = accountTypes.flatMap((type) =>
    [true, false].flatMap((isVerified) => {
      const policy = policyOf({ account_type: type, email_verified: isVerified });
      const left = counts.map(({ limitOf, amount }) => {
        const limit = limitOf(policy);
        return limit === undefined ? undefined : limit - amount;
      });
      // The condition below is true for a missing counter, so an amount that exceeds the whole quota is refused here.
      if (left.some((max) => max !== undefined && max < 0)) return [];
      limits[`:${type}`] = type;
      limits[`:${isVerified}`] = isVerified;
      const condition = [`account_type = :${type}`, `email_verified = :${isVerified}`];
      for (const [index, max] of left.entries()) {
        if (max === undefined) continue;
        limits[`:most${index}${type}${isVerified}`] = max;
        condition.push(`NOT #counter${index} > :most${index}${type}${isVerified}`);
      }
      return [`(${condition.join(" AND ")})`];
    }),
  );
  return {
    ...change,
    ConditionExpression: `attribute_not_exists(deletion_began) AND (${alternatives.join(" OR ")})`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ...limits },
  };
};

/** Returns the update that deducts the amounts again. */
export const monthlyRefund = (counts: readonly MonthlyCount[]): ItemUpdate => {
  const { names, values, ...change } = addition(counts, -1);
  return {
    ...change,
    ConditionExpression: "attribute_exists(PK)",
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
};
