import { operations } from "../../../functions/manifest.ts";
import { withLocalTable } from "../../../infra/local/local-table.ts";
import { openTable } from "../../../infra/sdk-table.ts";
import type { AccountType } from "../../../shared/accounts/access/account-access.ts";
import { accountKeys } from "../../../shared/accounts/access/keys.ts";
import { accountCounters, limitKeys } from "../../../shared/accounts/limits/keys.ts";
import { accountPoliciesWith } from "../../../shared/accounts/limits/policies.ts";
import { dayCounter, type UsageUnit, usageCounter } from "../../../shared/accounts/limits/usage-counters.ts";
import { dateOfDay, windowsAt } from "../../../shared/accounts/limits/windows.ts";
import { createAccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import type { TestAccount } from "../../support/api-client.ts";

/** How many days of usage the busiest account has. */
export const filledDays = 400;

/** Operations of each kind, by their paths, with the unit that they use and how much of it in a request. */
const kinds: readonly (readonly [path: string, unit: UsageUnit | undefined, perRequest: number])[] = [
  ["/tasks/translate", "characters", 80],
  ["/tasks/audio/speech", "characters", 120],
  ["/tasks/audio/transcriptions", "audioMilliseconds", 9_000],
  ["/tasks/chat/completions", "completionTokens", 150],
  ["/tasks/language_id", "characters", 40],
];

const used = kinds.flatMap(([path, unit, perRequest]) => {
  const operation = operations.find((each) => each.path === path && each.method === "POST");
  return operation ? [{ operationId: operation.id, unit, perRequest }] : [];
});

/** The same figures at every run: a wave over the weeks, with quiet weekends. */
const requestsOn = (day: number, index: number): number => {
  const isWeekend = (day + 3) % 7 < 2;
  return Math.round((40 + 30 * Math.sin(day / 9 + index)) * (isWeekend ? 0.2 : 1) * (5 - index));
};

/** Changes the type of a person's account. */
export const promote = async (
  dataDirectory: string,
  { id }: TestAccount,
  type: AccountType = "Admin",
): Promise<void> => {
  process.env["DATA_DIR"] = dataDirectory;
  await withLocalTable((name) => createAccountsRepository(openTable(name)).setAccountType(id, type));
};

/** The counters of one day, as attributes. */
const countersOf = (day: number, keyId: undefined, nameOf: typeof dayCounter): Record<string, number> =>
  Object.fromEntries(
    used.flatMap(({ operationId, unit, perRequest }, index) => {
      const requests = requestsOn(day, index);
      const row = { day, operationId, keyId };
      const counters: [string, number][] = [[nameOf({ ...row, unit: "requests" }), requests]];
      if (index === 0) counters.push([nameOf({ ...row, unit: "errors" }), Math.floor(requests / 20)]);
      if (unit) counters.push([nameOf({ ...row, unit }), requests * perRequest]);
      return counters;
    }),
  );

const setAll = (attributes: Readonly<Record<string, number>>) => {
  const entries = Object.entries(attributes);
  return {
    UpdateExpression: `SET ${entries.map((_, index) => `#${index} = :${index}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(entries.map(([name], index) => [`#${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], index) => [`:${index}`, value])),
  };
};

/**
 * Writes the usage of many days into the table of a service that is not running, where past days can only come from: today's
 * requests make no past.
 */
export const fillDays = async (dataDirectory: string, { id }: TestAccount): Promise<void> => {
  process.env["DATA_DIR"] = dataDirectory;
  await withLocalTable(async (name) => {
    const table = openTable(name);
    const { day: today, month } = windowsAt(Date.now());
    for (let day = today - filledDays + 1; day < today; day += 1) {
      const Key = limitKeys.usage(dateOfDay(day), id);
      await table.update({ Key, ...setAll(countersOf(day, undefined, dayCounter)) });
    }
    const { perDay = 0, perMonth = 0 } = accountPoliciesWith(1)({
      account_type: "Free",
      email_verified: true,
    });
    const ofToday = {
      ...countersOf(today, undefined, (counter) => usageCounter(counter, counter.unit)),
      [accountCounters.day(today)]: Math.round(perDay * 0.9),
      [accountCounters.month(month)]: Math.round(perMonth * 0.6),
    };
    await table.update({ Key: accountKeys.access(id), ...setAll(ofToday) });
  });
};
