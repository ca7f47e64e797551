import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { isActiveAccount } from "../../../shared/accounts/access/access.ts";
import { createUsageItems } from "../../../shared/accounts/limits/usage-items.ts";
import { windowsAt } from "../../../shared/accounts/limits/windows.ts";
import { createApiKeysRepository } from "../../../shared/accounts/repositories/api-keys-repository.ts";
import { createIdentitiesRepository } from "../../../shared/accounts/repositories/identities-repository.ts";
import { accountsInMonth } from "../../../shared/accounts/usage/read-usage.ts";
import { fakeTable, type TableCall } from "../../support/fake-table.ts";

const now = Date.parse("2026-11-20T10:00:00Z");
const { signal } = new AbortController();
const access = { account_type: "Free", disabled: false, token_epoch: 0 };

/** A table with one item of an account, and these rows. */
const tableWith = (item: object | undefined, rows: readonly object[] = []) => {
  const calls: TableCall[] = [];
  const table = fakeTable(async (call) => {
    calls.push(call);
    if (call.name === "Query") return { Items: rows };
    return call.name === "GetItem" && item ? { Item: item } : {};
  });
  return { table, calls };
};

describe("An account", () => {
  it("is active by two attributes, so no more are read", async () => {
    const { table, calls } = tableWith(access);
    expect(await isActiveAccount(table, 7)).toBe(true);
    expect(calls).toMatchObject([{ input: { ProjectionExpression: "disabled, deletion_began" } }]);
  });

  it("without a map of keys has no keys, even if details are listed", async () => {
    const row = {
      SK: "KEY#aB3xYz09",
      name: "kiosk",
      prefix: "lai_0123",
      created_at: "2026-11-20T10:00:00.000Z",
    };
    const { table } = tableWith(access, [row]);
    expect(await createApiKeysRepository(table, () => now).list(7)).toEqual([]);
  });

  it("that is gone leaves its identity readable", async () => {
    const table = fakeTable(async ({ input }) =>
      JSON.stringify(input).includes("IDENTITY") ? { Item: { user_id: 7, token_epoch: 0 } } : {},
    );
    const identity = { issuer: "https://id.example.com", subject: "amina", email: undefined };
    expect(await createIdentitiesRepository(table).find(identity)).toBe(7);
  });
});

describe("The usage of past days", () => {
  it("lists accounts by their whole numbers, in order", async () => {
    const { table } = tableWith(undefined, [
      { SK: "119#2026-11-20" },
      { SK: "12#2026-11-20" },
      { SK: "12#2026-11-21" },
    ]);
    expect(await accountsInMonth(table, "2026-11")).toEqual([12, 119]);
  });

  it("is left to the next minute when another request is moving it", async () => {
    const conflict = new TransactionCanceledException({
      message: "Transaction cancelled",
      $metadata: {},
      CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
    });
    const table = fakeTable(async ({ name }) => {
      if (name === "TransactWriteItems") throw conflict;
      return {};
    });
    const read = async () => undefined;
    const items = createUsageItems({
      read,
      transact: table.transact,
      update: table.update,
      updateWithFallback: () => Promise.reject(new Error("Nothing is counted here.")),
    });
    const counters = { "u20700:translate:-:r": 3 };
    await expect(items.move(7, counters, windowsAt(now), signal)).resolves.toBeUndefined();
  });
});
