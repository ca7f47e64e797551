import { describe, expect, it, vi } from "vitest";
import { admissionExpressions, createAccountCounters } from "../../../shared/limits/account-counters.ts";
import { accountPoliciesWith } from "../../../shared/limits/policies.ts";
import { windowsAt } from "../../../shared/limits/windows.ts";
import type { Item, ItemUpdate } from "../../../shared/storage/item-table.ts";

const usual = accountPoliciesWith(0.1);
const placeholdersIn = (text: string): string[] => [...new Set(text.match(/[:#]\w+/g))].toSorted();

describe("The condition on which a request is admitted", () => {
  it("is one alternative for each tier, before and after verification, that holds token, account and limits", () => {
    const { ConditionExpression, UpdateExpression, values } = admissionExpressions(usual, true);
    const stands = "token_epoch = :epoch AND disabled = :no AND attribute_not_exists(revoked.#t) AND ";
    expect(ConditionExpression.split(" OR ")).toEqual([
      `${stands}account_type = :Free AND NOT #m >= :FreeMinute AND email_verified = :yes AND NOT #d >= :FreeDay AND NOT #M >= :FreeMonth`,
      `${stands}account_type = :Free AND NOT #m >= :FreeMinute AND email_verified = :no AND NOT #d >= :UnverifiedFreeDay AND NOT #M >= :UnverifiedFreeMonth`,
      `${stands}account_type = :Premium AND NOT #m >= :PremiumMinute AND email_verified = :yes AND NOT #d >= :PremiumDay AND NOT #M >= :PremiumMonth`,
      `${stands}account_type = :Premium AND NOT #m >= :PremiumMinute AND email_verified = :no AND NOT #d >= :UnverifiedPremiumDay AND NOT #M >= :UnverifiedPremiumMonth`,
      `${stands}account_type = :Admin AND NOT #m >= :AdminMinute`,
    ]);
    expect(UpdateExpression).toBe("ADD #m :one, #d :one, #M :one, #o :one");
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

  it("of a stream also holds how many its tier may have at a time, and takes a place", () => {
    const { ConditionExpression, UpdateExpression, values } = admissionExpressions(usual, true, true);
    const [free, unverified, premium, , admin] = ConditionExpression.split(" OR ");
    expect(free).toContain("NOT size(streams) >= :FreeStreams");
    expect(unverified).toContain("NOT size(streams) >= :FreeStreams");
    expect(premium).toContain("NOT size(streams) >= :PremiumStreams");
    expect(admin).not.toContain("streams");
    expect(values).toMatchObject({ ":FreeStreams": 5, ":PremiumStreams": 25 });
    expect(UpdateExpression).toBe("ADD #m :one, #d :one, #M :one, #o :one, streams :place");
  });

  it.each([
    ["a task", true, 0.1, undefined],
    ["a task where verification makes no difference", true, 1, undefined],
    ["a stream", true, 0.1, "1795169400.a-place-"],
    ["what is no task", false, 0.1, undefined],
  ])(
    "of %s names what it is given and nothing else, within what DynamoDB takes",
    async (_case, isTask, share, place) => {
      const update = vi.fn(async (_update: ItemUpdate) => ({ applied: false, item: {} satisfies Item }));
      const counters = createAccountCounters(
        { update, updateTogether: async () => true, read: async () => undefined },
        accountPoliciesWith(share),
      );
      await counters.countForAccount(
        {
          token: { userId: 7, tokenId: "t", tokenEpoch: 3 },
          task: isTask ? "translate" : undefined,
          windows: windowsAt(0),
          place,
        },
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
      expect(ConditionExpression.match(/AND|OR|NOT|>=|=|\(/g)?.length).toBeLessThan(300);
      expect(ConditionExpression.includes("email_verified")).toBe(isTask && share < 1);
      expect(`${ConditionExpression} ${UpdateExpression}`.includes("streams")).toBe(place !== undefined);
      expect(sent?.Key).toEqual({ PK: "ACCESS#7", SK: "ACCESS" });
    },
  );
});
