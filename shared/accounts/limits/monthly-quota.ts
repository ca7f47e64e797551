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

const addition = ({ userId, counter, usage }: MonthlyCount, amount: number) => ({
  Key: accountKeys.access(userId),
  UpdateExpression: `ADD #counter :amount${usage === undefined ? "" : ", #usage :amount"}`,
  names: { "#counter": counter, ...(usage === undefined ? {} : { "#usage": usage }) },
  values: { ":amount": amount },
});

/**
 * Returns the update that counts an amount on its account's month, if the account exists and has enough of its quota left. It can
 * be part of a transaction.
 */
export const monthlyCharge = (count: MonthlyCount, policyOf: AccountPolicies): ItemUpdate => {
  const { amount, limitOf } = count;
  const { names, values, ...change } = addition(count, amount);
  const limits: Record<string, string | number | boolean> = {};
  const alternatives = accountTypes.flatMap((type) =>
    [true, false].flatMap((isVerified) => {
      const limit = limitOf(policyOf({ account_type: type, email_verified: isVerified }));
      const max = limit === undefined ? undefined : limit - amount;
      // The condition below is true for a missing counter, so an amount that exceeds the whole quota is refused here.
      if (max !== undefined && max < 0) return [];
      limits[`:${type}`] = type;
      limits[`:${isVerified}`] = isVerified;
      const condition = [`account_type = :${type}`, `email_verified = :${isVerified}`];
      if (max !== undefined) {
        limits[`:most${type}${isVerified}`] = max;
        condition.push(`NOT #counter > :most${type}${isVerified}`);
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

/** Returns the update that deducts the amount again. */
export const monthlyRefund = (count: MonthlyCount): ItemUpdate => {
  const { names, values, ...change } = addition(count, -count.amount);
  return {
    ...change,
    ConditionExpression: "attribute_exists(PK)",
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
};
