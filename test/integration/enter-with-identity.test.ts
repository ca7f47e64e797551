import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { enterWithIdentity, joinIdentity } from "../../functions/console/identity/enter-with-identity.ts";
import type { PersonAtProvider } from "../../functions/console/identity/open-id-provider.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import {
  type AccountsRepository,
  createAccountsRepository,
} from "../../shared/accounts/repositories/accounts-repository.ts";
import {
  createIdentitiesRepository,
  type IdentitiesRepository,
} from "../../shared/accounts/repositories/identities-repository.ts";
import { createLinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let server: TestTable;
let accounts: AccountsRepository;
let identities: IdentitiesRepository;
const mails: MailRequest[] = [];
const mailQueue = { send: async (request: MailRequest): Promise<void> => void mails.push(request) };

beforeAll(async () => {
  server = await startTestTable();
  accounts = createAccountsRepository(server.open());
  identities = createIdentitiesRepository(server.open());
});
afterAll(() => server.close());
beforeEach(() => {
  mails.length = 0;
});

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
  const links = createLinksRepository(server.open());
  const secret = await links.create({ userId: id, tokenEpoch: 0 }, "verify-email");
  if (verified) await links.verifyEmail(secret, id);
  return id;
};

const enter = (person: PersonAtProvider) =>
  enterWithIdentity(person, "a", { accounts, identities, mailQueue });

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
  it("gets into it when both sides have verified the address, and its origin stays the same", async () => {
    const person = newPerson();
    const id = await register(person.email.toUpperCase(), { verified: true });
    expect(await enter(person)).toMatchObject({
      kind: "entered",
      account: { id, oauth_type: "Credentials", has_password: true },
    });
    expect(await identities.list(id)).toMatchObject([{ issuer: person.issuer, email: person.email }]);
  });

  it.each([
    ["the provider has not verified it", { verified: true }, { emailVerified: false }],
    ["the account has not verified it", { verified: false }, { emailVerified: true }],
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
    expect(await joinIdentity(person, id, { identities })).toBe("joined");
    expect(await joinIdentity(person, id, { identities })).toBe("joined");
    expect(await enter(person)).toMatchObject({ kind: "entered", account: { id } });
  });

  it("is not taken away from another account", async () => {
    const person = newPerson();
    await enter(person);
    const id = await register(`takes-${people}@example.com`, { verified: true });
    expect(await joinIdentity(person, id, { identities })).toBe("other-account");
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
