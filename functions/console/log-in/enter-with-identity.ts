import { randomInt } from "node:crypto";
import type { AccountAtEpoch, StoredAccount } from "../../../shared/accounts/access/account.ts";
import { type MailQueue, requestNotice } from "../../../shared/accounts/mail/mail-queue.ts";
import type { AccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import type {
  IdentitiesRepository,
  Identity,
} from "../../../shared/accounts/repositories/identities-repository.ts";
import { type ProofDependencies, proveAddress } from "../../../shared/accounts/sign-in/first-proof.ts";
import type { ProviderLetter } from "../../../shared/platform/config/identity-providers.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { ItemUpdate } from "../../../shared/platform/storage/table.ts";
import type { PersonAtProvider } from "./person.ts";

export interface IdentityDependencies extends ProofDependencies {
  readonly accounts: Pick<AccountsRepository, "create" | "find">;
  readonly identities: Pick<IdentitiesRepository, "find" | "joinWithProof" | "list" | "removeEnded">;
}

/**
 * Why a login is refused: the account is disabled or being deleted (`closed`), the provider sent no email address (`no-address`),
 * or another account has the address and the provider does not vouch for it (`address-taken`).
 */
export type Refusal = "closed" | "no-address" | "address-taken";

export type Entrance =
  | { readonly kind: "entered"; readonly account: StoredAccount }
  /** The account has the address of the person, who has not shown that it is theirs. */
  | { readonly kind: "unproved"; readonly account: StoredAccount }
  | { readonly kind: "refused"; readonly reason: Refusal };

export const isClosed = ({ disabled, deletion_began: deletionStarted }: StoredAccount): boolean =>
  disabled || deletionStarted !== undefined;

const enter = (account: StoredAccount): Entrance =>
  isClosed(account) ? { kind: "refused", reason: "closed" } : { kind: "entered", account };

const oauthTypes = { a: "IdentityProviderA", b: "IdentityProviderB" } as const;

/** Digits added to a name that is taken. */
const digitsOfAttempts = [0, 3, 4, 6, 8];

/** Usernames to try, from the name or email address at the provider. */
const usernamesFor = ({ preferredUsername, email = "" }: PersonAtProvider): string[] => {
  const [local = ""] = email.split("@");
  const plain = (preferredUsername?.split("@")[0] || local)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^[._-]+|[._-]+$/g, "")
    .slice(0, 40);
  const base = plain.length >= 3 ? plain : `person-${plain}`.replace(/-$/, "");
  return digitsOfAttempts.map((digits) =>
    digits === 0 ? base : `${base}-${randomInt(10 ** (digits - 1), 10 ** digits)}`,
  );
};

/** Creates an account without a password. @returns `undefined` when the address was taken in the meantime. */
const createAccount = async (
  person: PersonAtProvider & { readonly email: string },
  identity: Identity,
  letter: ProviderLetter,
  { accounts, mailQueue }: IdentityDependencies,
): Promise<StoredAccount | undefined> => {
  for (const username of usernamesFor(person)) {
    try {
      const account = await accounts.create(
        { username, email: person.email, organization: "Unknown", full_name: person.name },
        { identity, oauthType: oauthTypes[letter], emailVerified: person.emailVerified },
      );
      if (!account.email_verified)
        await requestNotice({ kind: "verify-email", userId: account.id }, { mailQueue });
      return account;
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      if (code === "email_taken") return undefined;
      if (code !== "username_taken") throw error;
    }
  }
  throw new Error("Every username for a person from an identity provider is taken.");
};

export const identityOf = ({ issuer, subject, email }: PersonAtProvider): Identity => ({
  issuer,
  subject,
  ...(email === undefined ? {} : { email }),
});

/** Whether a login is the first proof of the address of an account. */
const isFirstProof = (
  { email, emailVerified }: PersonAtProvider,
  account: Pick<StoredAccount, "email" | "email_verified">,
): boolean =>
  emailVerified && !account.email_verified && email?.toLowerCase() === account.email.toLowerCase();

/** Of two simultaneous requests, the second finds the account that the first created. */
const maxAttempts = 3;

/**
 * Finds or creates the account of a person who signed in at a provider.
 *
 * The identity decides, not the email address: addresses change hands, and providers err. An account with the same address is entered
 * only while that is unverified and the provider vouches for it. An attacker may have created that account and be waiting for its
 * owner, so all access from before ends. The owner of a verified address must prove the account once, which adds the identity.
 */
export const enterWithIdentity = async (
  person: PersonAtProvider,
  letter: ProviderLetter,
  dependencies: IdentityDependencies,
): Promise<Entrance> => {
  const { accounts, identities } = dependencies;
  const identity = identityOf(person);
  for (let attempts = 1; attempts <= maxAttempts; attempts += 1) {
    const userId = await identities.find(identity);
    const known = userId === undefined ? undefined : await accounts.find({ id: userId });
    if (known && !isFirstProof(person, known)) return enter(known);

    const { email } = person;
    if (email === undefined) return { kind: "refused", reason: "no-address" };
    const holder = known ?? (await accounts.find({ email }));
    if (!holder) {
      const created = await createAccount({ ...person, email }, identity, letter, dependencies);
      if (created) return { kind: "entered", account: created };
    } else {
      if (isClosed(holder)) return { kind: "refused", reason: "closed" };
      if (!person.emailVerified) return { kind: "refused", reason: "address-taken" };
      if (!isFirstProof(person, holder)) return { kind: "unproved", account: holder };
      const write = (owner: AccountAtEpoch, changes: readonly ItemUpdate[]) =>
        identities.joinWithProof(owner, identity, changes);
      // The next attempt finds the account by its identity.
      await proveAddress(holder, undefined, write, dependencies);
    }
  }
  throw new AppError("service_unavailable", { message: "The account is being changed; try again." });
};

/** `other-account`: the identity already belongs to another account. `ended`: what proved the account has ended. */
export type Joined = "joined" | "other-account" | "ended";

/** What adding an identity needs. */
export interface JoinDependencies {
  readonly identities: Pick<IdentitiesRepository, "find" | "join">;
  readonly mailQueue: MailQueue;
  readonly openIdProviders: readonly { readonly issuer: string; readonly name: string }[];
}

/** The name of the provider of an identity, as people know it. */
export const providerNameOf = (
  issuer: string,
  { openIdProviders }: Pick<JoinDependencies, "openIdProviders">,
): string => openIdProviders.find((provider) => provider.issuer === issuer)?.name ?? issuer;

/** Adds an identity to an account, and reports it with a mail. The person has proved both, so addresses are not compared. */
export const joinIdentity = async (
  identity: Identity,
  owner: AccountAtEpoch,
  { identities, ...dependencies }: JoinDependencies,
): Promise<Joined> => {
  if (await identities.join(owner, identity)) {
    const detail = providerNameOf(identity.issuer, dependencies);
    const { userId } = owner;
    await requestNotice({ kind: "security-notice", userId, event: "identity-added", detail }, dependencies);
    return "joined";
  }
  const holder = await identities.find(identity);
  if (holder === owner.userId) return "joined";
  return holder === undefined ? "ended" : "other-account";
};
