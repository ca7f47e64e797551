import { describe, expect, it, vi } from "vitest";
import { createAccountCounters } from "../../../../shared/accounts/limits/account-counters.ts";
import { admissionExpressions } from "../../../../shared/accounts/limits/admission-expressions.ts";
import { accountPoliciesWith } from "../../../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../../../shared/accounts/limits/windows.ts";
import type { Item, ItemUpdate } from "../../../../shared/platform/storage/table.ts";

const usual = accountPoliciesWith(0.1);
const placeholdersIn = (text: string): string[] => [...new Set(text.match(/[:#]\w+/g))].toSorted();

describe("The condition on which a request is admitted", () => {
  const perTier = [
    "account_type = :Free AND NOT #m >= :FreeMinute AND email_verified = :yes AND NOT #d >= :FreeDay AND NOT #M >= :FreeMonth",
    "account_type = :Free AND NOT #m >= :FreeMinute AND email_verified = :no AND NOT #d >= :UnverifiedFreeDay AND NOT #M >= :UnverifiedFreeMonth",
    "account_type = :Premium AND NOT #m >= :PremiumMinute AND email_verified = :yes AND NOT #d >= :PremiumDay AND NOT #M >= :PremiumMonth",
    "account_type = :Premium AND NOT #m >= :PremiumMinute AND email_verified = :no AND NOT #d >= :UnverifiedPremiumDay AND NOT #M >= :UnverifiedPremiumMonth",
    "account_type = :Admin AND NOT #m >= :AdminMinute",
  ].join(" OR ");

  it("holds the token, the account, and one alternative for each tier, before and after verification", () => {
    const { ConditionExpression, additions, values } = admissionExpressions(usual, {
      credential: "token",
      isTask: true,
    });
    expect(ConditionExpression).toBe(
      `token_epoch = :epoch AND attribute_not_exists(revoked.#t) AND disabled = :no AND (${perTier})`,
    );
    expect(additions).toEqual(["#m :one", "#d :one", "#M :one"]);
    expect(values).toMatchObject({
      ":FreeMinute": 50,
      ":FreeDay": 500,
      ":FreeMonth": 5_000,
      ":UnverifiedFreeDay": 50,
      ":UnverifiedFreeMonth": 500,
      ":UnverifiedPremiumDay": 500,
      ":UnverifiedPremiumMonth": 10_000,
      ":AdminMinute": 1_000,
    });
  });

  it("of a stream also checks how many its tier may have at a time, and takes a slot", () => {
    const { ConditionExpression, additions, values } = admissionExpressions(usual, {
      credential: "token",
      isTask: true,
      takesSlot: true,
    });
    const [free, unverified, premium, , admin] = ConditionExpression.split(" OR ");
    expect(free).toContain("NOT size(streams) >= :FreeStreams");
    expect(unverified).toContain("NOT size(streams) >= :FreeStreams");
    expect(premium).toContain("NOT size(streams) >= :PremiumStreams");
    expect(admin).not.toContain("streams");
    expect(values).toMatchObject({ ":FreeStreams": 5, ":PremiumStreams": 25 });
    expect(additions).toEqual(["#m :one", "#d :one", "#M :one", "streams :place"]);
  });

  it("holds of a key its digest, expiry, scope and own limit, and notes its use in the same write", () => {
    const { ConditionExpression, clauses, additions } = admissionExpressions(usual, {
      credential: "scoped-key",
      isTask: true,
    });
    expect(ConditionExpression).toBe(
      "api_keys.#k.h = :digest AND NOT api_keys.#k.e <= :now AND " +
        "(attribute_not_exists(api_keys.#k.s) OR contains(api_keys.#k.s, :scope)) AND disabled = :no AND " +
        "(attribute_not_exists(api_keys.#k.m) OR NOT api_keys.#k.#m >= api_keys.#k.m) AND " +
        `(attribute_not_exists(api_keys.#k.l) OR NOT api_keys.#k.#M >= api_keys.#k.l) AND (${perTier})`,
    );
    expect(clauses).toBe(
      "SET api_keys.#k.u = :now, api_keys.#k.#m = if_not_exists(api_keys.#k.#m, :none) + :one, " +
        "api_keys.#k.#M = if_not_exists(api_keys.#k.#M, :none) + :one",
    );
    expect(additions).toEqual(["#m :one", "#d :one", "#M :one"]);
  });

  it("holds of a key in what is no task neither scope nor the limit of a month, where every key may do it", () => {
    const { ConditionExpression, clauses, additions } = admissionExpressions(usual, {
      credential: "key",
      isTask: false,
    });
    expect(ConditionExpression).toMatch(
      /^api_keys\.#k\.h = :digest AND NOT api_keys\.#k\.e <= :now AND disabled = :no AND \(attribute_not_exists\(api_keys\.#k\.m\) OR NOT api_keys\.#k\.#m >= api_keys\.#k\.m\) AND \(account_type = :Free/,
    );
    expect([clauses, additions]).toEqual([
      "SET api_keys.#k.u = :now, api_keys.#k.#m = if_not_exists(api_keys.#k.#m, :none) + :one",
      ["#m :one"],
    ]);
  });

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
