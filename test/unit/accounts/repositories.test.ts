import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { accountKeys } from "../../../shared/accounts/access/keys.ts";
import { createAccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import { createLinksRepository } from "../../../shared/accounts/repositories/links-repository.ts";
import { createUploadsRepository } from "../../../shared/recordings/uploads/uploads-repository.ts";
import { fakeTable, type TableCall } from "../../support/fake-table.ts";

const profile = {
  PK: "USER#7",
  SK: "PROFILE",
  id: 7,
  username: "amina",
  email: "amina@example.com",
  password_hash: "$argon2id$the-hash",
  organization: "Unknown",
  oauth_type: "Credentials",
  created_at: "2026-11-20T10:00:00.000Z",
};
const access = {
  PK: "ACCESS#7",
  SK: "ACCESS",
  account_type: "Free",
  email_verified: false,
  disabled: false,
  token_epoch: 0,
  revoked: {},
};
const newAccount = {
  username: "amina",
  email: "amina@example.com",
  password_hash: "$argon2id$the-hash",
  organization: "Unknown",
  full_name: undefined,
  organization_type: undefined,
  sector: undefined,
};
const failure = Object.assign(new Error("The table does not answer."), { name: "InternalServerError" });

/** A table whose reads give an item and whose writes, but that of the counter of ids, do what a test says. */
const tableWith = (
  write: (call: TableCall) => Promise<object>,
  Item: object | undefined = { ...profile, ...access },
) => {
  const calls: string[] = [];
  const table = fakeTable(async (call) => {
    calls.push(call.name);
    if (call.name === "GetItem") return { Item };
    const isCounter = JSON.stringify(call.input).includes("COUNTER#USER");
    return isCounter ? { Attributes: { value: 7 } } : write(call);
  });
  return { table, calls };
};

describe("An account that is looked for", () => {
  it.each([
    ["id", { id: 7 }, ["GetItem", "GetItem"]],
    ["username", { username: "amina" }, ["GetItem", "GetItem", "GetItem"]],
    ["address", { email: "amina@example.com" }, ["GetItem", "GetItem", "GetItem"]],
  ])(
    "by %s comes without the hash of its password, which costs no read more",
    async (_by, reference, reads) => {
      const accountAndClaim = { ...profile, ...access, user_id: 7 };
      const one = tableWith(() => Promise.reject(failure), accountAndClaim);
      const found = await createAccountsRepository(one.table).find(reference);
      expect(found).toMatchObject({ id: 7, username: "amina" });
      expect(JSON.stringify(found)).not.toContain("the-hash");
      expect(one.calls).toEqual(reads);

      const other = tableWith(() => Promise.reject(failure), accountAndClaim);
      const withPassword = await createAccountsRepository(other.table).findWithPassword(reference);
      expect(withPassword).toEqual({ ...found, password_hash: "$argon2id$the-hash" });
      expect(other.calls).toEqual(reads);
    },
  );

  it("by an unknown name costs as many reads as any other", async () => {
    const calls: string[] = [];
    const empty = fakeTable(async ({ name }) => {
      calls.push(name);
      return {};
    });
    expect(await createAccountsRepository(empty).findWithPassword({ username: "nobody" })).toBeUndefined();
    expect(calls).toEqual(["GetItem", "GetItem", "GetItem"]);
  });
});

describe("A change of an account", () => {
  it("returns the account's current state, without the hash of its password", async () => {
    const { table, calls } = tableWith(async () => ({}), { ...profile, ...access, disabled: true });
    const changed = await createAccountsRepository(table).setDisabled(7, true);
    expect(changed).toMatchObject({ id: 7, disabled: true });
    expect(JSON.stringify(changed)).not.toContain("the-hash");
    expect(calls).toEqual(["UpdateItem", "GetItem", "GetItem"]);
  });

  it("that changes nothing writes nothing", async () => {
    const { table, calls } = tableWith(() => Promise.reject(failure));
    expect(await createAccountsRepository(table).updateProfile(7, {})).toMatchObject({ id: 7 });
    expect(calls).toEqual(["GetItem", "GetItem"]);
  });

  it("of a deleted account returns nothing", async () => {
    const gone = new ConditionalCheckFailedException({ message: "no", $metadata: {} });
    const { table } = tableWith(() => Promise.reject(gone));
    expect(await createAccountsRepository(table).setAccountType(7, "Premium")).toBeUndefined();
  });
});

describe("A registration", () => {
  /** Registers while the transaction is cancelled for these reasons. */
  const registerWhile = (...codes: readonly string[]) => {
    const cancelled = new TransactionCanceledException({
      message: "no",
      $metadata: {},
      CancellationReasons: codes.map((Code) => ({ Code })),
    });
    const { table } = tableWith(() => Promise.reject(cancelled));
    return { cancelled, registered: createAccountsRepository(table).create(newAccount) };
  };

  it.each([
    ["ConditionalCheckFailed", "None", "username"],
    ["None", "ConditionalCheckFailed", "email"],
    ["TransactionConflict", "None", "username"],
    ["None", "TransactionConflict", "email"],
    ["TransactionConflict", "ConditionalCheckFailed", "email"],
    ["ConditionalCheckFailed", "ConditionalCheckFailed", "username"],
  ])("that is cancelled with %s and %s says that the %s is taken", async (username, email, field) => {
    await expect(registerWhile(username, email, "None").registered).rejects.toMatchObject({
      code: `${field}_taken`,
      param: field,
    });
  });

  it("that is throttled does not call a name taken", async () => {
    const { cancelled, registered } = registerWhile("ThrottlingError", "None", "None");
    await expect(registered).rejects.toBe(cancelled);
  });

  it("returns an account of the lowest tier, without the hash of its password", async () => {
    const { table } = tableWith(async () => ({}));
    const created = await createAccountsRepository(table).create(newAccount);
    expect(created).toEqual({
      id: 7,
      username: "amina",
      email: "amina@example.com",
      organization: "Unknown",
      account_type: "Free",
      oauth_type: "Credentials",
      email_verified: false,
      disabled: false,
      token_epoch: 0,
      has_password: true,
      has_second_factor: false,
      created_at: expect.any(String),
    });
  });
});

describe("A write of several items at once", () => {
  const cancelledBy = (...codes: readonly string[]) =>
    new TransactionCanceledException({
      message: "no",
      $metadata: {},
      CancellationReasons: codes.map((Code) => ({ Code })),
    });

  it("that met another write of the same item is tried again", async () => {
    const failures = [cancelledBy("None", "TransactionConflict"), cancelledBy("None", "TransactionConflict")];
    const { table, calls } = tableWith(async () => {
      const failed = failures.shift();
      if (failed) throw failed;
      return {};
    });
    const changed = createAccountsRepository(table).changePassword({ userId: 7, tokenEpoch: 0 }, "$hash");
    expect(await changed).toBe(true);
    expect(calls).toHaveLength(3);
  });

  it("is given up when it meets one again and again", async () => {
    const conflict = cancelledBy("None", "TransactionConflict");
    const { table, calls } = tableWith(() => Promise.reject(conflict));
    const changed = createAccountsRepository(table).changePassword({ userId: 7, tokenEpoch: 0 }, "$hash");
    await expect(changed).rejects.toBe(conflict);
    expect(calls).toHaveLength(5);
  });

  it("whose condition is not met is not tried again", async () => {
    const { table, calls } = tableWith(() =>
      Promise.reject(cancelledBy("TransactionConflict", "ConditionalCheckFailed")),
    );
    const changed = createAccountsRepository(table).changePassword({ userId: 7, tokenEpoch: 0 }, "$hash");
    expect(await changed).toBe(false);
    expect(calls).toHaveLength(1);
  });
});

describe("What ends at a moment", () => {
  const end = Date.parse("2026-11-20T10:00:00Z");
  const expires_at = end / 1_000;
  const linkItem = { user_id: 7, purpose: "verify-email", expires_at };
  const uploadItem = { object_key: "uploads/1/a.wav", content_type: "audio/wav", expires_at };
  afterEach(() => {
    vi.useRealTimers();
  });
  const at = (now: number, Item: object) => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    return fakeTable(async () => ({ Item }));
  };

  it("is a mailed link: it is its account's until then, for its own purpose only", async () => {
    const find = (now: number, purpose: "verify-email" | "reset-password") =>
      createLinksRepository(at(now, linkItem)).find("secret", purpose);
    expect(await find(end - 1, "verify-email")).toEqual({ userId: 7, tokenEpoch: -1 });
    expect(await find(end, "verify-email")).toBeUndefined();
    expect(await find(end - 1, "reset-password")).toBeUndefined();
  });

  it("is an upload: it can be used until then, by its own account only", async () => {
    const find = (now: number, owner: object = {}) =>
      createUploadsRepository(at(now, { ...uploadItem, ...owner })).find("file", 7);
    expect(await find(end - 1)).toMatchObject({ objectKey: "uploads/1/a.wav", userId: undefined });
    expect(await find(end)).toBeUndefined();
    expect(await find(end - 1, { user_id: 7 })).toMatchObject({ userId: 7 });
    expect(await find(end - 1, { user_id: 8 })).toBeUndefined();
  });
});

describe("The keys of names and addresses", () => {
  it("are the same in capital letters, and others for other names", () => {
    expect(accountKeys.emailClaim("Amina@Example.com")).toEqual({
      PK: "EMAIL#amina@example.com",
      SK: "CLAIM",
    });
    expect(accountKeys.usernameClaim("Amina")).toEqual({ PK: "USERNAME#amina", SK: "CLAIM" });
  });
});

describe("a mailed link", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["reset-password", 30 * 60],
    ["verify-email", 24 * 60 * 60],
  ] as const)("to %s contains its account, its lifetime, and its epoch", async (purpose, lifetime) => {
    vi.useFakeTimers({ now: new Date("2026-11-20T10:00:00Z") });
    const created: unknown[] = [];
    const links = createLinksRepository(
      fakeTable(async ({ name, input }) => {
        created.push([name, input]);
        return {};
      }),
    );
    const secret = await links.create({ userId: 7, tokenEpoch: 3 }, purpose);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(created).toMatchObject([
      [
        "PutItem",
        {
          Item: {
            ...accountKeys.link(secret),
            user_id: 7,
            purpose,
            token_epoch: 3,
            expires_at: Date.parse("2026-11-20T10:00:00Z") / 1_000 + lifetime,
          },
        },
      ],
    ]);
    expect(JSON.stringify(created)).not.toContain(secret);
  });
});
