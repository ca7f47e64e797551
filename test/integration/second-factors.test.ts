import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstProof } from "../../shared/accounts/access/account.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import {
  createFactorKeySource,
  createFactorSecrets,
} from "../../shared/accounts/second-factor/factor-secrets.ts";
import { createSecondFactors } from "../../shared/accounts/second-factor/second-factors.ts";
import { codeAt, stepAt } from "../../shared/accounts/second-factor/totp.ts";
import {
  confirmCode,
  requiresSecondFactor,
  signInWithCode,
} from "../../shared/accounts/sign-in/check-code.ts";
import { confirmAct } from "../../shared/accounts/sign-in/confirm-act.ts";
import { hashPassword } from "../../shared/accounts/sign-in/passwords.ts";
import { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { secondFactorsOver } from "../support/second-factor.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

const start = Date.parse("2026-11-24T10:00:00Z");
const password = "seven storks by the lake";
const session = "a session";

/** An account, several instances of the function and a clock. */
const setup = async (fields: { readonly password?: string } = {}) => {
  let now = start;
  const clock = () => now;
  const mails: MailRequest[] = [];
  const open = () => secondFactorsOver(table.open(), clock);
  const repositories = accountRepositories(table.open());
  const hash = fields.password === undefined ? {} : { password_hash: await hashPassword(fields.password) };
  const username = `person-${randomUUID()}`;
  const account = await repositories.accounts.create({
    username,
    email: `${username}@example.com`,
    organization: "Unknown",
    ...hash,
  });
  return {
    account,
    id: account.id,
    open,
    mails,
    accounts: repositories.accounts,
    dependencies: {
      ...repositories,
      secondFactors: open(),
      mailQueue: { send: async (mail: MailRequest) => void mails.push(mail) },
    },
    at: () => stepAt(now),
    wait: (seconds: number) => {
      now += seconds * 1_000;
    },
  };
};

/** The same with a second factor, which was set up a minute ago. */
const withFactor = async (fields?: { readonly password?: string }) => {
  const person = await setup(fields);
  const owner = { userId: person.id, tokenEpoch: 0, session };
  expect(await person.open().startSetUp(owner)).toBe(true);
  const secret = await person.open().findSetUp(owner);
  if (!secret) throw new Error("The set-up does not wait.");
  const finished = await person.open().finishSetUp(owner, codeAt(secret, person.at()));
  if (finished.kind !== "on") throw new Error("The second factor is not on.");
  person.wait(60);
  const account = await person.accounts.find({ id: person.id });
  if (!account) throw new Error("The account is gone.");
  return {
    ...person,
    account,
    secret,
    codes: finished.codes,
    code: (steps = 0) => codeAt(secret, person.at() + steps),
  };
};

const codeOf = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt;
    return "done";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "failed";
  }
};

describe("A code", () => {
  it.each(["a recovery code", "a code of the app"])(
    "opens once: of 12 requests with %s at once, one",
    async (kind) => {
      const person = await withFactor();
      const typed = kind === "a recovery code" ? (person.codes[0] ?? "") : person.code();
      const used = await Promise.all(Array.from({ length: 12 }, () => person.open().use(person.id, typed)));
      expect(used.filter((each) => each !== undefined)).toHaveLength(1);
      expect(await person.open().use(person.id, typed)).toBeUndefined();
      expect(await person.open().find(person.id)).toMatchObject({
        codesLeft: kind === "a recovery code" ? 9 : 10,
      });
    },
  );

  it("of the app is accepted with one step of drift, and none that is not later than the last", async () => {
    const { id, open, code } = await withFactor();
    const use = async (steps: number) => (await open().use(id, code(steps))) !== undefined;
    expect(await use(2)).toBe(false);
    expect(await use(-2)).toBe(false);
    expect(await use(-1)).toBe(true);
    expect(await use(-1)).toBe(false);
    expect(await use(1)).toBe(true);
    expect(await use(0)).toBe(false);
  });

  it("of another account, or of one without a second factor, opens nothing", async () => {
    const [one, other, none] = [await withFactor(), await withFactor(), await setup()];
    expect(await other.open().use(other.id, one.codes[0] ?? "")).toBeUndefined();
    expect(await other.open().use(other.id, one.code())).toBeUndefined();
    expect(await none.open().use(none.id, one.code())).toBeUndefined();
    expect(await none.open().use(999_999, one.codes[0] ?? "")).toBeUndefined();
    expect((await none.accounts.find({ id: none.id }))?.has_second_factor).toBe(false);
    expect(await none.open().find(none.id)).toBeUndefined();
  });

  it("that is wrong five times makes others wait, at the sign-in and in a session, each for itself", async () => {
    const { account, dependencies, code, codes, id } = await withFactor();
    const signIn = (typed: string) =>
      codeOf(signInWithCode(account, { code: typed, param: "code" }, "203.0.113.7", dependencies));
    const confirm = (typed: string) => codeOf(confirmCode(id, { code: typed, param: "code" }, dependencies));
    for (const check of [signIn, confirm]) {
      const outcomes = [];
      for (let attempts = 0; attempts < 6; attempts += 1) outcomes.push(await check("000000"));
      expect(outcomes).toEqual([...Array(5).fill("invalid_code"), "rate_limited"]);
      expect(await check(code())).toBe("rate_limited");
      expect(await check(codes[0] ?? "")).toBe("rate_limited");
    }
    // Other addresses do not wait.
    const elsewhere = signInWithCode(account, { code: code(), param: "code" }, "198.51.100.9", dependencies);
    expect(await codeOf(elsewhere)).toBe("done");
  });
});

describe("The set-up", () => {
  it("belongs to its session, waits a quarter of an hour, and finishes once", async () => {
    const { id, open, at, wait } = await setup();
    const owner = { userId: id, tokenEpoch: 0, session };
    await open().startSetUp(owner);
    expect(await open().findSetUp({ ...owner, session: "another" })).toBeUndefined();
    const first = await open().findSetUp(owner);
    await open().startSetUp(owner);
    const secret = await open().findSetUp(owner);
    if (!first || !secret) throw new Error("The set-up does not wait.");
    expect(secret).not.toEqual(first);
    expect(await open().finishSetUp(owner, codeAt(first, at()))).toEqual({ kind: "wrong-code" });
    expect(await open().finishSetUp({ ...owner, session: "another" }, codeAt(secret, at()))).toEqual({
      kind: "ended",
    });
    wait(15 * 60);
    expect(await open().finishSetUp(owner, codeAt(secret, at()))).toEqual({ kind: "ended" });

    await open().startSetUp(owner);
    const last = await open().findSetUp(owner);
    if (!last) throw new Error("The set-up does not wait.");
    const finishing = Array.from({ length: 6 }, () => open().finishSetUp(owner, codeAt(last, at())));
    const kinds = (await Promise.all(finishing)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual([...Array(5).fill("ended"), "on"]);
    expect(await open().startSetUp(owner)).toBe(false);
    // Its first code does not open anything afterwards.
    expect(await open().use(id, codeAt(last, at()))).toBeUndefined();
  });

  it("stores neither the secret nor a recovery code in a form that a reader of the table could use", async () => {
    const { id, secret, codes } = await withFactor();
    const stored = JSON.stringify(await table.read(accountKeys.profile(id)));
    expect(stored).toContain('"second_factor"');
    for (const hidden of [
      Buffer.from(secret).toString("base64"),
      ...codes,
      ...codes.map((code) => code.replaceAll("-", "")),
    ])
      expect(stored).not.toContain(hidden);
  });
});

describe("The key that seals secrets", () => {
  it("can be replaced: the next code seals the secret again", async () => {
    const { id, code, at, wait, secret } = await withFactor();
    const clock = () => at() * 30_000;
    const keys = [
      "a key of tests that is long enough to seal with",
      "the second key of tests is long enough too",
    ];
    const withKeys = (current: string | undefined, previous: string | undefined) =>
      createSecondFactors(
        table.open(),
        createFactorSecrets(
          createFactorKeySource(async (version) => (version === "AWSCURRENT" ? current : previous)),
        ),
        clock,
      );
    await expect(withKeys(keys[1], undefined).use(id, code())).rejects.toThrow("cannot be opened");
    expect(await withKeys(keys[1], keys[0]).use(id, code())).toEqual({ kind: "app" });
    wait(30);
    expect(await withKeys(keys[1], undefined).use(id, codeAt(secret, at()))).toEqual({ kind: "app" });
  });
});

describe("What ends a second factor", () => {
  it("is the first proof of the address, with or without a new password, and a set-up that waits", async () => {
    for (const hash of ["$argon2id$new", undefined]) {
      const { id, open, accounts, codes, account } = await withFactor();
      const changes = firstProof({ userId: id, tokenEpoch: account.token_epoch }, hash);
      await table.open().transact(changes.map((update) => ({ update })));
      expect(await accounts.find({ id })).toMatchObject({
        has_second_factor: false,
        has_password: hash !== undefined,
      });
      expect(await open().use(id, codes[0] ?? "")).toBeUndefined();

      const waiting = await setup();
      await waiting.open().startSetUp({ userId: waiting.id, tokenEpoch: 0, session });
      const proof = firstProof({ userId: waiting.id, tokenEpoch: 0 }, hash);
      await table.open().transact(proof.map((update) => ({ update })));
      expect(await waiting.open().findSetUp({ userId: waiting.id, tokenEpoch: 0, session })).toBeUndefined();
    }
  });

  it("is no new password", async () => {
    const { id, accounts, account } = await withFactor();
    await accounts.changePassword({ userId: id, tokenEpoch: account.token_epoch }, "$argon2id$new");
    expect((await accounts.find({ id }))?.has_second_factor).toBe(true);
  });

  it("is its removal, once", async () => {
    const { id, open, accounts, code } = await withFactor();
    const removals = await Promise.all([accounts.removeSecondFactor(id), accounts.removeSecondFactor(id)]);
    expect(removals.toSorted()).toEqual([false, true]);
    expect(await open().use(id, code())).toBeUndefined();
    expect(await open().replaceCodes(id)).toBeUndefined();
  });
});

describe("The confirmation of a dangerous act", () => {
  type Setup = Awaited<ReturnType<typeof setup>>;
  const confirm = ({ id, dependencies }: Setup, typed: string | undefined, provedAt?: number) =>
    codeOf(confirmAct(id, { password: typed, provedAt }, dependencies));
  const recently = () => Math.floor(Date.now() / 1_000);

  it("is a code where there is a second factor, also with a password, and a mail reports recovery codes", async () => {
    for (const fields of [{ password }, {}]) {
      const person = await withFactor(fields);
      expect(await confirm(person, password, recently())).toBe("invalid_code");
      expect(await confirm(person, undefined, recently())).toBe("invalid_code");
      expect(await confirm(person, person.code())).toBe("done");
      expect(await confirm(person, person.code())).toBe("invalid_code");
      expect(person.mails).toEqual([]);
      expect(await confirm(person, person.codes[0])).toBe("done");
      expect(person.mails).toEqual([{ kind: "recovery-code-used", userId: person.id, codesLeft: 9 }]);
      expect(await confirm(person, person.codes[0])).toBe("invalid_code");
    }
  });

  it("is otherwise the password where there is one, and no recent login instead", async () => {
    const person = await setup({ password });
    for (const typed of [undefined, "123456", "nine cranes over the hill"])
      expect(await confirm(person, typed, recently())).toBe("invalid_credentials");
    expect(await confirm(person, password)).toBe("done");
  });

  it("is otherwise a login of the last ten minutes", async () => {
    const person = await setup();
    expect(await confirm(person, undefined, recently() - 599)).toBe("done");
    expect(await confirm(person, password, recently() - 601)).toBe("bad_request");
    expect(await confirm(person, password)).toBe("bad_request");
  });
});

describe("A second factor that is turned on", () => {
  it("ends every token and session from before, and is not turned on by one that has ended", async () => {
    expect((await withFactor()).account.token_epoch).toBe(1);
    const person = await setup();
    const owner = { userId: person.id, tokenEpoch: 0, session };
    await person.open().startSetUp(owner);
    const secret = await person.open().findSetUp(owner);
    await person.accounts.revokeTokens(owner);
    expect(await person.open().finishSetUp(owner, codeAt(secret ?? Buffer.alloc(0), person.at()))).toEqual({
      kind: "ended",
    });
    expect((await person.accounts.find({ id: person.id }))?.has_second_factor).toBe(false);
  });
});

describe("An account of an operator", () => {
  it("needs a second factor for the pages of operators; others do not", async () => {
    const [admin, other] = [await withFactor(), await setup()];
    await admin.accounts.setAccountType(admin.id, "Admin");
    const requires = async ({ accounts, id }: typeof other) => {
      const account = await accounts.find({ id });
      return account && requiresSecondFactor(account);
    };
    expect([await requires(admin), await requires(other)]).toEqual([false, false]);
    await admin.accounts.removeSecondFactor(admin.id);
    expect(await requires(admin)).toBe(true);
    // As an older version has stored it.
    const accounts = createAccountsRepository(table.open());
    await accounts.setAccountType(other.id, "Admin");
    expect(await requires(other)).toBe(true);
  });
});
