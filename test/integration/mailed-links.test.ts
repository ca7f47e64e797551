import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAccess } from "../../shared/accounts/access/access.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createLinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { hashPassword } from "../../shared/accounts/sign-in/passwords.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { accountsOver } from "../support/accounts-over.ts";
import { send } from "../support/send.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

const purposes = ["reset-password", "verify-email"] as const;
type LinkPurpose = (typeof purposes)[number];

const oldPassword = "seven storks by the lake";
const newPassword = "nine cranes over the hill";

let intact: TestTable;
beforeAll(async () => {
  intact = await startTestTable();
});
afterAll(() => intact.close());

let people = 0;

/** An account with a token, and the secret of a link that was mailed to it. */
const mailLink = async (purpose: LinkPurpose) => {
  people += 1;
  const table = intact.open();
  const { id, username } = await createAccountsRepository(table).create({
    username: `person-${people}`,
    email: `person-${people}@example.com`,
    password_hash: await hashPassword(oldPassword),
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  return {
    id,
    username,
    secret: await createLinksRepository(table).create({ userId: id, tokenEpoch: 0 }, purpose),
  };
};

const stored = async (id: number): Promise<Record<string, unknown>> => ({
  ...(await intact.read(accountKeys.profile(id))),
  ...(await intact.read(accountKeys.access(id))),
});

/** Whether the account's first token is still valid. */
const tokenStands = async (id: number): Promise<boolean> => {
  const token = { userId: id, tokenId: "issued", tokenEpoch: 0 };
  const access = await readAccess(intact.openForRequests(), token);
  return access?.isValid === true;
};

const useLink: Record<LinkPurpose, (table: Table, secret: string) => ReturnType<typeof send>> = {
  "reset-password": (table, token) =>
    send(accountsOver(table), {
      path: "/auth/reset-password",
      body: { token, new_password: newPassword },
    }),
  "verify-email": (table, token) =>
    send(accountsOver(table), { path: "/auth/verify-email", body: { token } }),
};

/** The console's pages for links, as redirects from `/auth/` name them. */
const pages: Record<LinkPurpose, string> = {
  "reset-password": "../reset-password",
  "verify-email": "../console/verify-email",
};

const logIn = async (username: string, password: string): Promise<number> => {
  const { status } = await send(accountsOver(intact.open()), {
    path: "/auth/token",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ username, password }).toString(),
  });
  return status;
};

/** The SDK's error for a lost connection. */
const lost = () => Object.assign(new Error("socket hang up"), { code: "ECONNRESET", $metadata: {} });

/** The table, of which one call fails before it is sent; the first is number 0. */
const failingAt = (failing: number): { readonly table: Table; readonly calls: () => number } => {
  const client = intact.openClient();
  let calls = 0;
  client.middlewareStack.add(
    (next) => (input) => {
      calls += 1;
      return calls - 1 === failing ? Promise.reject(lost()) : next(input);
    },
    { step: "initialize" },
  );
  return { table: intact.open(client), calls: () => calls };
};

/** The table, which executes the first transaction and loses the response to it. */
const losingOneResponse = (): { readonly table: Table; readonly sent: () => number } => {
  const client = intact.openClient();
  let sent = 0;
  client.middlewareStack.add(
    (next, context) => async (input) => {
      const response = await next(input);
      if (context["commandName"] !== "TransactWriteItemsCommand") return response;
      sent += 1;
      if (sent === 1) throw Object.assign(new Error("The response was lost."), { name: "TimeoutError" });
      return response;
    },
    { step: "deserialize" },
  );
  return { table: intact.open(client), sent: () => sent };
};

describe.each(purposes)("a link to %s", (purpose) => {
  const use = useLink[purpose];
  const other = purposes.find((each) => each !== purpose) ?? purpose;

  it("still works after the table failed, at any of its calls", async () => {
    let failures = 0;
    for (;;) {
      const { id, secret } = await mailLink(purpose);
      const before = await stored(id);
      const { table, calls } = failingAt(failures);
      const response = await use(table, secret);
      // What is cleaned up after the change may fail.
      if (response.status === 200) break;
      expect(calls()).toBeGreaterThan(failures);
      expect({ call: failures, status: response.status }).toEqual({ call: failures, status: 503 });
      expect(await stored(id)).toEqual(before);
      expect((await use(intact.open(), secret)).status).toBe(200);
      failures += 1;
    }
    expect(failures).toBeGreaterThan(1);
  });

  it("has worked when only the response of the table was lost", async () => {
    const { id, secret } = await mailLink(purpose);
    const before = await stored(id);
    const { table, sent } = losingOneResponse();
    expect((await use(table, secret)).status).toBe(200);
    expect(sent()).toBe(2);
    expect(await stored(id)).not.toEqual(before);
  });

  it("changes nothing when a program follows it, with any `Accept` header", async () => {
    const { id, secret } = await mailLink(purpose);
    const before = await stored(id);
    const path = `/auth/${purpose}`;
    const look = (Accept: string) =>
      send(accountsOver(intact.open()), {
        method: "GET",
        path,
        query: { token: secret },
        headers: { Accept },
      });
    for (const Accept of ["application/json", "*/*"]) expect((await look(Accept)).status).toBe(200);
    const { status, headers } = await look("text/html");
    expect([status, headers["Location"]]).toEqual([303, `${pages[purpose]}?token=${secret}`]);
    expect(await stored(id)).toEqual(before);
    expect((await use(intact.open(), secret)).status).toBe(200);
  });

  it.each(["TransactionConflict", "ThrottlingError"])(
    "is not called invalid, and still works, when the table had no time for it (%s)",
    async (Code) => {
      const { secret } = await mailLink(purpose);
      const client = intact.openClient();
      client.middlewareStack.add(
        (next, context) => (input) =>
          context["commandName"] === "TransactWriteItemsCommand"
            ? Promise.reject(
                new TransactionCanceledException({
                  message: "Transaction cancelled.",
                  CancellationReasons: [{ Code }, { Code: "None" }],
                  $metadata: { httpStatusCode: 400 },
                }),
              )
            : next(input),
        { step: "initialize" },
      );
      expect(await use(intact.open(client), secret)).toMatchObject({
        status: 503,
        headers: { "Retry-After": "5" },
        body: { error: { code: "service_unavailable" } },
      });
      expect((await use(intact.open(), secret)).status).toBe(200);
    },
  );

  it("is refused like an unknown one when it has expired, is for another purpose, or for a deleted account", async () => {
    const { secret } = await mailLink(other);
    const { secret: expired } = await mailLink(purpose);
    await intact.open().update({
      Key: accountKeys.link(expired),
      UpdateExpression: "SET expires_at = :now",
      ExpressionAttributeValues: { ":now": Math.floor(Date.now() / 1_000) },
    });
    const orphan = await createLinksRepository(intact.open()).create(
      { userId: 4_000_000, tokenEpoch: 0 },
      purpose,
    );
    const responses = await Promise.all(
      [secret, orphan, expired, "A".repeat(43)].map((each) => use(intact.open(), each)),
    );
    const [first] = responses;
    expect(first?.body.detail).toEqual(expect.stringMatching(/\w/));
    for (const { status, body } of responses) {
      expect({ status, code: body.error.code, detail: body.detail }).toEqual({
        status: 400,
        code: "invalid_link",
        detail: first?.body.detail,
      });
    }
    expect((await useLink[other](intact.open(), secret)).status).toBe(200);
  });
});

describe("a link to verify-email alone", () => {
  it("may be followed again: the address is verified already", async () => {
    const { id, secret } = await mailLink("verify-email");
    expect((await useLink["verify-email"](intact.open(), secret)).body.message).toBe(
      "The email address is verified.",
    );
    expect(await useLink["verify-email"](intact.open(), secret)).toMatchObject({
      status: 200,
      body: { success: true, message: "The email address is already verified." },
    });
    expect((await stored(id))["email_verified"]).toBe(true);
  });
});

describe("a link to reset-password alone", () => {
  it("works once, however many try it at the same moment", async () => {
    const { secret } = await mailLink("reset-password");
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => useLink["reset-password"](intact.open(), secret)),
    );
    const codes = responses.map(({ status, body }) => (status === 200 ? "done" : body.error.code));
    expect(codes.toSorted()).toEqual(["done", ...Array(5).fill("invalid_link")]);
  });
});

describe("a link that was mailed before the password was changed", () => {
  /** Another link of the same account: its owner requested two, or someone read the owner's mail. */
  const another = (userId: number) =>
    createLinksRepository(intact.open()).create({ userId, tokenEpoch: 0 }, "reset-password");
  const reset = (token: string, password: string) =>
    send(accountsOver(intact.open()), {
      path: "/auth/reset-password",
      body: { token, new_password: password },
    });

  it("sets no other password once the owner has changed it", async () => {
    const { id, username, secret } = await mailLink("reset-password");
    const changed = await send(accountsOver(intact.open()), {
      path: "/auth/change-password",
      body: { old_password: oldPassword, new_password: newPassword },
      authorizer: { userId: String(id), tokenId: "issued", tokenEpoch: "0" },
    });
    expect(changed.status).toBe(200);
    const response = await reset(secret, "a stranger was here");
    expect(response).toMatchObject({ status: 400, body: { error: { code: "invalid_link" } } });
    expect(await logIn(username, newPassword)).toBe(200);
  });

  it("sets no other password once another link was used", async () => {
    const { id, username, secret } = await mailLink("reset-password");
    const second = await another(id);
    expect((await reset(secret, newPassword)).status).toBe(200);
    expect((await reset(second, "a stranger was here")).status).toBe(400);
    expect(await logIn(username, newPassword)).toBe(200);
  });

  it("is compared in the transaction: of several used at the same moment, one sets the password", async () => {
    const { id, secret } = await mailLink("reset-password");
    const secrets = [secret, ...(await Promise.all(Array.from({ length: 5 }, () => another(id))))];
    const responses = await Promise.all(secrets.map((each) => reset(each, newPassword)));
    // Those that conflict inside DynamoDB may get a 503; on their next attempt the password has changed.
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const again = await Promise.all(secrets.map((each) => reset(each, "a stranger was here")));
    expect(again.map(({ status }) => status)).toEqual(Array(6).fill(400));
    expect((await stored(id))["token_epoch"]).toBe(1);
  });

  it("does not work when it was created before links had an epoch", async () => {
    const { secret } = await mailLink("reset-password");
    await intact.open().update({ Key: accountKeys.link(secret), UpdateExpression: "REMOVE token_epoch" });
    expect((await reset(secret, newPassword)).status).toBe(400);
  });

  it("still verifies the address", async () => {
    const { id, secret } = await mailLink("verify-email");
    await createAccountsRepository(intact.open()).changePassword(
      { userId: id, tokenEpoch: 0 },
      await hashPassword(newPassword),
    );
    expect((await useLink["verify-email"](intact.open(), secret)).status).toBe(200);
  });
});

describe("a change of the password", () => {
  it("by a person who knows the old one does not overwrite one set meanwhile", async () => {
    const { id } = await mailLink("reset-password");
    const accounts = createAccountsRepository(intact.open());
    const seen = { userId: id, tokenEpoch: 0 };
    expect(await accounts.changePassword(seen, "the first")).toBe(true);
    expect(await accounts.changePassword(seen, "the second")).toBe(false);
    expect((await stored(id))["password_hash"]).toBe("the first");
  });
});

describe("a new password from a mailed link", () => {
  it("replaces the old one, and ends every token of the account", async () => {
    const { id, username, secret } = await mailLink("reset-password");
    expect(await tokenStands(id)).toBe(true);
    await useLink["reset-password"](intact.open(), secret);
    expect(await tokenStands(id)).toBe(false);
    expect([await logIn(username, oldPassword), await logIn(username, newPassword)]).toEqual([401, 200]);
  });

  it("leaves old password and tokens as they are while it cannot be written", async () => {
    const { id, username, secret } = await mailLink("reset-password");
    const client = intact.openClient();
    client.middlewareStack.add(
      (next, context) => (input) =>
        context["commandName"] === "TransactWriteItemsCommand" ? Promise.reject(lost()) : next(input),
      { step: "initialize" },
    );
    expect((await useLink["reset-password"](intact.open(client), secret)).status).toBe(503);
    expect(await logIn(username, oldPassword)).toBe(200);
    expect(await tokenStands(id)).toBe(true);
  });
});
