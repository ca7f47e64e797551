import { describe, expect, it, vi } from "vitest";
import { createAccountCounters } from "../../../../shared/accounts/limits/account-counters.ts";
import { accountPoliciesWith } from "../../../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../../../shared/accounts/limits/windows.ts";
import type { Item, ItemUpdate } from "../../../../shared/platform/storage/table.ts";

const placeholdersIn = (text: string): string[] => [...new Set(text.match(/[:#]\w+/g))].toSorted();

describe("The condition on which a request is admitted", () => {
  const token = { userId: 7, tokenId: "t", tokenEpoch: 3 };
  const key = { userId: 7, keyId: "k3f0a2c1e9b7d", keyDigest: "abc" };
  const slot = "1795169400.a-place-";

  it.each([
    ["a task", { credential: token, task: "translate", share: 0.1 }],
    ["a task where verification makes no difference", { credential: token, task: "translate", share: 1 }],
    ["a stream", { credential: token, task: "translate", share: 0.1, slot }],
    ["what is no task", { credential: token, share: 0.1 }],
    ["a task with a key", { credential: key, task: "translate", share: 0.1 }],
    ["a stream with a key", { credential: key, task: "translate", share: 0.1, slot }],
    ["what is no task, with a key", { credential: key, share: 0.1 }],
    ["what every key may do", { credential: key, share: 0.1, scope: "any" }],
  ] as const)(
    "of %s names what it is given and nothing else, within what DynamoDB takes",
    async (_case, requested) => {
      const { credential, share, ...optional } = requested;
      const { task, slot, scope } = {
        task: undefined,
        slot: undefined,
        scope: "chat" as const,
        ...optional,
      };
      const update = vi.fn(async (_update: ItemUpdate) => ({ applied: false, item: {} satisfies Item }));
      const counters = createAccountCounters(
        {
          update,
          updateWithFallback: update,
          transact: async () => ({ applied: true, failures: [] }),
          read: async () => undefined,
        },
        accountPoliciesWith(share),
      );
      await counters.countForAccount(
        { credential, scope, time: 0, task, windows: windowsAt(0), slot },
        new AbortController().signal,
      );
      const [sent] = update.mock.calls[0] ?? [];
      const { ConditionExpression = "", UpdateExpression = "" } = sent ?? {};
      const given = [
        ...Object.keys(sent?.ExpressionAttributeNames ?? {}),
        ...Object.keys(sent?.ExpressionAttributeValues ?? {}),
      ];
      expect(given.toSorted()).toEqual(placeholdersIn(`${ConditionExpression} ${UpdateExpression}`));
      expect(ConditionExpression.length).toBeLessThan(4_096);
      expect(ConditionExpression.match(/AND|OR|NOT|<=|>=|=|\(/g)?.length).toBeLessThan(300);
      expect(ConditionExpression.includes("email_verified")).toBe(task !== undefined && share < 1);
      expect(`${ConditionExpression} ${UpdateExpression}`.includes("streams")).toBe(slot !== undefined);
      expect(sent?.Key).toEqual({ PK: "ACCESS#7", SK: "ACCESS" });
    },
  );
});
