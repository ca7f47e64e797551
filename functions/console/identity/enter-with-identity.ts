import { randomInt } from "node:crypto";
import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { MailQueue } from "../../../shared/accounts/mail/mail-queue.ts";
import type { AccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import type {
  IdentitiesRepository,
  Identity,
} from "../../../shared/accounts/repositories/identities-repository.ts";
import { askForVerification } from "../../../shared/accounts/sign-in/register.ts";
import type { ProviderLetter } from "../../../shared/platform/config/identity-providers.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { PersonAtProvider } from "./open-id-provider.ts";

/** What signing in with an identity touches. */
export interface IdentityDependencies {
  readonly accounts: Pick<AccountsRepository, "create" | "find">;
  readonly identities: Pick<IdentitiesRepository, "find" | "join">;
  readonly mailQueue: MailQueue;
}

/**
 * Why nobody gets in: the account is disabled or being deleted (`closed`), the provider tells no address (`no-address`), or the
 * address is another account's and not verified on both sides (`address-taken`).
 */
export type Refusal = "closed" | "no-address" | "address-taken";

/** How signing in with an identity ends. */
export type Entrance =
  | { readonly kind: "entered"; readonly account: StoredAccount }
  | { readonly kind: "refused"; readonly reason: Refusal };

const isClosed = ({ disabled, deletion_began: deletionStarted }: StoredAccount): boolean =>
  disabled || deletionStarted !== undefined;

const enter = (account: StoredAccount): Entrance =>
  isClosed(account) ? { kind: "refused", reason: "closed" } : { kind: "entered", account };

const oauthTypes = { a: "IdentityProviderA", b: "IdentityProviderB" } as const;

/** Names that somebody may have got before: each further one is longer. */
const digitsOfAttempts = [0, 3, 4, 6, 8];

/** A user name out of what a provider says, in the form that registration asks for. */
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

/** Makes an account without a password. @returns `undefined` when the address has just become somebody's. */
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
      if (!account.email_verified) await askForVerification(account.id, { mailQueue });
      return account;
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      if (code === "email_taken") return undefined;
      if (code !== "username_taken") throw error;
    }
  }
  throw new Error("Every user name for somebody who comes from an identity provider is taken.");
};

/** What a person is known by. */
export const identityOf = ({ issuer, subject, email }: PersonAtProvider): Identity => ({
  issuer,
  subject,
  ...(email === undefined ? {} : { email }),
});

/** Two requests of the same person may come at the same moment: the second then finds what the first has made. */
const maxAttempts = 3;

/**
 * Finds the account of somebody who has signed in at a provider, joins their identity to it, or makes one.
 *
 * The identity decides, not the address. By the address it is joined to an account only when it is verified on both sides:
 * otherwise whoever gives a provider somebody else's address would get into their account, or would have made an account in wait
 * for its owner.
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
    if (known) return enter(known);

    const { email } = person;
    if (email === undefined) return { kind: "refused", reason: "no-address" };
    const holder = await accounts.find({ email });
    if (!holder) {
      const created = await createAccount({ ...person, email }, identity, letter, dependencies);
      if (created) return { kind: "entered", account: created };
    } else {
      if (isClosed(holder)) return { kind: "refused", reason: "closed" };
      if (!holder.email_verified || !person.emailVerified)
        return { kind: "refused", reason: "address-taken" };
      if (await identities.join(holder.id, identity, { byAddress: true })) return enter(holder);
    }
  }
  throw new AppError("service_unavailable", { message: "The account is being changed; try again." });
};

/** How joining an identity to the account of who is signed in ends; `other-account` when it opens another one. */
export type Joined = "joined" | "other-account" | "closed";

/** Joins an identity to the account of somebody who is signed in: they have proved both, so no address is compared. */
export const joinIdentity = async (
  person: PersonAtProvider,
  userId: number,
  { identities }: Pick<IdentityDependencies, "identities">,
): Promise<Joined> => {
  const identity = identityOf(person);
  if (await identities.join(userId, identity, { byAddress: false })) return "joined";
  const holder = await identities.find(identity);
  if (holder === userId) return "joined";
  return holder === undefined ? "closed" : "other-account";
};
