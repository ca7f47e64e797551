import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { createAuditLog } from "../../shared/accounts/operators/audit-log.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { decideTierRequest } from "../../shared/accounts/tiers/decide-tier-request.ts";
import { tierRequestKeys } from "../../shared/accounts/tiers/keys.ts";
import { createTierRequests } from "../../shared/accounts/tiers/tier-requests.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

const input = { purpose: "A clinic in Gulu", amount: "2,000 requests a day" };

const start = async (type: "Admin" | "Free" = "Free") => {
  const accounts = createAccountsRepository(table.open());
  const userId = await createTestAccount(table.open(), type);
  const tierRequests = createTierRequests(table.open());
  const mails: MailRequest[] = [];
  const mailQueue = { send: async (mail: MailRequest) => void mails.push(mail) };
  const account = { id: userId, username: `user-${userId}`, account_type: type };
  const audit = createAuditLog(table.open());
  return {
    account,
    userId,
    mails,
    accounts,
    tierRequests,
    audit,
    dependencies: { audit, tierRequests, mailQueue },
  };
};

const operator = { command: "amina" };

describe("A request for a higher tier", () => {
  it("is stored once while it is open, and listed before those that were decided", async () => {
    const [one, other] = [await start(), await start()];
    expect(await one.tierRequests.add(one.account, input)).toBe(true);
    expect(await one.tierRequests.add(one.account, { ...input, amount: "more" })).toBe(false);
    expect(await other.tierRequests.add(other.account, input)).toBe(true);
    await decideTierRequest(operator, other.account, { decision: "declined", note: "" }, other.dependencies);
    const found = await one.tierRequests.find(one.userId);
    expect(found).toMatchObject({ ...input, user_id: one.userId, status: "open" });
    expect((await one.tierRequests.list()).map(({ user_id }) => user_id)).toEqual([one.userId, other.userId]);
    const seconds = Date.parse(found?.created_at ?? "") / 1_000;
    expect((await table.read(tierRequestKeys.request(one.userId)))?.["expires_at"]).toBe(
      Math.floor(seconds) + 400 * 86_400,
    );
  });

  it.each([
    ["accepted", "Free", "Premium"],
    ["declined", "Free", "Free"],
    ["accepted", "Admin", "Admin"],
  ] as const)(
    "that is %s of a %s account leaves it %s, and ends in one mail",
    async (decision, type, after) => {
      const { account, userId, mails, accounts, tierRequests, audit, dependencies } = await start(type);
      await tierRequests.add(account, input);
      expect(await decideTierRequest(operator, account, { decision, note: "Webale." }, dependencies)).toBe(
        true,
      );
      expect(await decideTierRequest(operator, account, { decision, note: "Again." }, dependencies)).toBe(
        false,
      );
      expect(mails).toEqual([{ kind: "tier-decided", userId, decision, note: "Webale." }]);
      expect((await accounts.find({ id: userId }))?.account_type).toBe(after);
      expect(await tierRequests.find(userId)).toMatchObject({ status: decision, note: "Webale." });
      expect(await tierRequests.add(account, input)).toBe(true);
      const acts = (await audit.list(20, undefined)).filter(({ accountId }) => accountId === userId);
      expect(acts.map(({ act }) => act)).toEqual([
        decision === "accepted" ? "accept-tier-request" : "decline-tier-request",
      ]);
    },
  );

  it("stays open when its mail cannot be queued", async () => {
    const { account, userId, tierRequests, dependencies } = await start();
    await tierRequests.add(account, input);
    const mailQueue = { send: () => Promise.reject(new Error("SQS does not respond.")) };
    await expect(
      decideTierRequest(
        operator,
        account,
        { decision: "declined", note: "No." },
        { ...dependencies, mailQueue },
      ),
    ).rejects.toThrow("SQS");
    const found = await tierRequests.find(userId);
    expect(found?.status).toBe("open");
    expect(found?.note).toBeUndefined();
  });
});
