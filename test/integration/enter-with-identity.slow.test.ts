import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  enterWithIdentity,
  identityOf,
  joinIdentity,
} from "../../functions/console/log-in/enter-with-identity.ts";
import type { PersonAtProvider } from "../../functions/console/log-in/person.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { callbackKeys } from "../../shared/recordings/callbacks/keys.ts";
import { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let server: TestTable;
let repositories: ReturnType<typeof accountRepositories>;
let accounts: typeof repositories.accounts;
let identities: typeof repositories.identities;
const mails: MailRequest[] = [];
const mailQueue = { send: async (request: MailRequest): Promise<void> => void mails.push(request) };

beforeAll(async () => {
  server = await startTestTable();
  repositories = accountRepositories(server.open());
  ({ accounts, identities } = repositories);
});
afterAll(() => server.close());
beforeEach(() => {
  mails.length = 0;
});

/** What joining needs. */
const joining = () => ({ identities, mailQueue, openIdProviders: [] });

let people = 0;

/** A new person at a provider. */
const newPerson = (changed: Partial<Omit<PersonAtProvider, "email">> = {}) => {
  people += 1;
  return {
    issuer: "https://id.example.com",
    subject: `subject-${people}`,
    email: `person-${people}@example.com`,
    emailVerified: true,
    name: "Amina Nakato",
    preferredUsername: undefined,
    ...changed,
  };
};

/** An account with a password, and with its address verified or not. */
const register = async (email: string, { verified }: { readonly verified: boolean }) => {
  people += 1;
  const { id } = await accounts.create({
    username: `registered-${people}`,
    email,
    password_hash: "$argon2id$the-hash",
    organization: "Unknown",
  });
  const { links } = repositories;
  const secret = await links.create({ userId: id, tokenEpoch: 0 }, "verify-email");
  if (verified) await links.verifyEmail(secret, id);
  return id;
};

const enter = (person: PersonAtProvider) => enterWithIdentity(person, "a", { ...repositories, mailQueue });

describe("A person who comes from an identity provider for the first time", () => {
  it("gets an account without a password, with the address as verified as the provider says", async () => {
    const person = newPerson();
    expect(await enter(person)).toMatchObject({
      kind: "entered",
      account: {
        username: `person-${people}`,
        email: person.email,
        full_name: "Amina Nakato",
        oauth_type: "IdentityProviderA",
        email_verified: true,
        has_password: false,
      },
    });
    expect(mails).toEqual([]);
  });

  it("must verify an address that the provider has not verified", async () => {
    const entered = await enter(newPerson({ emailVerified: false }));
    expect(entered).toMatchObject({ kind: "entered", account: { email_verified: false } });
    expect(mails).toEqual([
      { kind: "verify-email", userId: entered.kind === "entered" ? entered.account.id : undefined },
    ]);
  });

  it.each([
    ["Amína.Nakato", /^Amina\.Nakato$/],
    ["someone@elsewhere.example", /^someone$/],
    ["ଆ", /^person$/],
    ["a b", /^a-b$/],
    ["..", /^person$/],
  ])("gets a username derived from the provider's data: %j", async (preferredUsername, expected) => {
    expect(await enter(newPerson({ preferredUsername }))).toMatchObject({
      kind: "entered",
      account: { username: expect.stringMatching(new RegExp(`${expected.source.slice(0, -1)}(?:-\\d+)?$`)) },
    });
  });

  it("gets another username when the first is taken", async () => {
    await enter(newPerson({ preferredUsername: "twice" }));
    expect(await enter(newPerson({ preferredUsername: "Twice" }))).toMatchObject({
      kind: "entered",
      account: { username: expect.stringMatching(/^Twice-\d{3}$/) },
    });
  });

  it("gets one account, also when two requests come at the same moment", async () => {
    const person = newPerson();
    const entrances = await Promise.all([enter(person), enter(person), enter(person)]);
    const ids = entrances.map((entrance) => (entrance.kind === "entered" ? entrance.account.id : entrance));
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toEqual(expect.any(Number));
  });

  it("gets none without an address", async () => {
    expect(await enter({ ...newPerson(), email: undefined })).toEqual({
      kind: "refused",
      reason: "no-address",
    });
  });
});

describe("A person whose address already has an account", () => {
  it("must prove it when both sides have verified the address, and its origin stays the same", async () => {
    const person = newPerson();
    const id = await register(person.email.toUpperCase(), { verified: true });
    for (const _attempt of [1, 2]) {
      expect(await enter(person)).toMatchObject({ kind: "unproved", account: { id } });
      expect(await identities.list(id)).toEqual([]);
    }
    expect(await joinIdentity(identityOf(person), { userId: id, tokenEpoch: 0 }, joining())).toBe("joined");
    expect(await enter(person)).toMatchObject({
      kind: "entered",
      account: { id, oauth_type: "Credentials", has_password: true },
    });
    expect(await identities.list(id)).toMatchObject([{ issuer: person.issuer, email: person.email }]);
    expect(mails).toMatchObject([{ kind: "security-notice", event: "identity-added" }]);
  });

  it.each([
    ["the provider has not verified it", { verified: true }, { emailVerified: false }],
    ["the address is unverified", { verified: false }, { emailVerified: false }],
  ])("does not get into it when %s", async (_case, registered, claims) => {
    const person = newPerson(claims);
    const id = await register(person.email, registered);
    expect(await enter(person)).toEqual({ kind: "refused", reason: "address-taken" });
    expect(await identities.list(id)).toEqual([]);
    expect(await identities.find(person)).toBeUndefined();
  });

  it("does not get into a disabled one", async () => {
    const person = newPerson();
    await accounts.setDisabled(await register(person.email, { verified: true }), true);
    expect(await enter(person)).toEqual({ kind: "refused", reason: "closed" });
  });
});

describe("A person whose provider vouches for an address that is not verified here", () => {
  const key = { name: "kiosk", scopes: undefined, expiresAt: undefined, monthlyLimit: undefined };

  it("gets the account, and all access from before has ended", async () => {
    const person = newPerson();
    const id = await register(person.email.toUpperCase(), { verified: false });
    const before = { userId: id, tokenEpoch: 0 };
    const strangers = newPerson({ emailVerified: false });
    await identities.join(before, strangers);
    await repositories.apiKeys.create(before, key);
    expect(await enter(person)).toMatchObject({
      kind: "entered",
      account: { id, has_password: false, email_verified: true, token_epoch: 1, proved_epoch: 1 },
    });
    expect(mails).toEqual([
      {
        kind: "first-proof",
        userId: id,
        ended: { password: true, secondFactor: false, keys: 1, identities: 1 },
      },
    ]);
    expect(await repositories.apiKeys.list(id)).toEqual([]);
    expect(await identities.list(id)).toMatchObject([{ email: person.email }]);
    expect(await identities.find(strangers)).toBeUndefined();
    expect(await server.read(callbackKeys.secret(id))).toMatchObject({ previous: [] });
    // Nothing ends a second time.
    const again = await enter(person);
    expect(again).toMatchObject({ kind: "entered", account: { id, token_epoch: 1 } });
    expect(mails).toHaveLength(1);
  });

  it("gets it also when the identity is known already", async () => {
    const person = newPerson({ emailVerified: false });
    const entered = await enter(person);
    const id = entered.kind === "entered" ? entered.account.id : 0;
    await identities.join({ userId: id, tokenEpoch: 0 }, newPerson());
    const proved = await enter({ ...person, emailVerified: true });
    expect(proved).toMatchObject({ kind: "entered", account: { id, email_verified: true, token_epoch: 1 } });
    expect(await identities.list(id)).toMatchObject([{ email: person.email }]);
  });

  it("finds no identity of before, also when the proof was cut short before it removed them", async () => {
    const person = newPerson();
    const id = await register(person.email, { verified: false });
    const strangers = newPerson({ emailVerified: false });
    await identities.join({ userId: id, tokenEpoch: 0 }, strangers);
    const cut = { ...identities, removeEnded: () => Promise.reject(new Error("The function was killed.")) };
    await enterWithIdentity(person, "a", { ...repositories, identities: cut, mailQueue });
    expect(await identities.list(id)).toHaveLength(2);
    expect(await identities.find(strangers)).toBeUndefined();
    expect(await identities.list(id)).toHaveLength(1);
    // It can be joined to another account.
    expect(await enter({ ...strangers, email: `other-${id}@example.com` })).toMatchObject({
      kind: "entered",
    });
  });

  it("ends identities of an older version, which stored no epoch", async () => {
    const person = newPerson();
    const id = await register(person.email, { verified: false });
    const strangers = newPerson({ emailVerified: false });
    await identities.join({ userId: id, tokenEpoch: 0 }, strangers);
    const [{ id: digest = "" } = {}] = await identities.list(id);
    for (const Key of [accountKeys.identity(digest), accountKeys.ownIdentity(id, digest)])
      await server.open().update({ Key, UpdateExpression: "REMOVE token_epoch" });
    expect(await identities.find(strangers)).toBe(id);
    await enter(person);
    expect(await identities.find(strangers)).toBeUndefined();
  });
});

describe("A person who returns", () => {
  it("gets into the same account, even if the address has changed", async () => {
    const person = newPerson();
    const first = await enter(person);
    const again = await enter({ ...person, email: "moved@example.com", emailVerified: false });
    expect(again).toEqual(first);
    expect(await enter({ ...person, email: undefined })).toEqual(first);
  });

  it("is refused while the account is disabled", async () => {
    const person = newPerson();
    const first = await enter(person);
    if (first.kind === "entered") await accounts.setDisabled(first.account.id, true);
    expect(await enter(person)).toEqual({ kind: "refused", reason: "closed" });
  });

  it("is another person at another issuer", async () => {
    const person = newPerson();
    await enter(person);
    const other = { ...person, issuer: "https://other.example.com", emailVerified: false };
    expect(await enter(other)).toEqual({ kind: "refused", reason: "address-taken" });
  });
});

describe("An identity that is joined by who is signed in", () => {
  it("opens their account from then on, with any address", async () => {
    const id = await register(`joins-${people}@example.com`, { verified: false });
    const person = newPerson({ emailVerified: false });
    expect(await joinIdentity(identityOf(person), { userId: id, tokenEpoch: 0 }, joining())).toBe("joined");
    expect(await joinIdentity(identityOf(person), { userId: id, tokenEpoch: 0 }, joining())).toBe("joined");
    expect(await enter(person)).toMatchObject({ kind: "entered", account: { id } });
    expect(mails).toEqual([
      { kind: "security-notice", userId: id, event: "identity-added", detail: person.issuer },
    ]);
  });

  it("is not added by a session that has ended, as after a new password", async () => {
    const id = await register(`changes-${people}@example.com`, { verified: true });
    const person = newPerson();
    await accounts.changePassword({ userId: id, tokenEpoch: 0 }, "$argon2id$new");
    expect(await joinIdentity(identityOf(person), { userId: id, tokenEpoch: 0 }, joining())).toBe("ended");
    expect(await identities.list(id)).toEqual([]);
    expect(await joinIdentity(identityOf(person), { userId: id, tokenEpoch: 1 }, joining())).toBe("joined");
  });

  it("is not taken away from another account", async () => {
    const person = newPerson();
    await enter(person);
    const id = await register(`takes-${people}@example.com`, { verified: true });
    expect(await joinIdentity(identityOf(person), { userId: id, tokenEpoch: 0 }, joining())).toBe(
      "other-account",
    );
    expect(await identities.list(id)).toEqual([]);
  });
});

describe("The response to a login through a provider", () => {
  it("is taken once", async () => {
    const results = await Promise.all([identities.noteReturned("state"), identities.noteReturned("state")]);
    expect(results.toSorted()).toEqual([false, true]);
    expect(await identities.noteReturned("another")).toBe(true);
  });
});
