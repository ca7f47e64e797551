import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import {
  exists,
  type Item,
  type ItemKey,
  isNew,
  type Table,
  type TableWrite,
  type TransactionResult,
} from "../../platform/storage/table.ts";
import {
  type AcceptedTerms,
  type Account,
  type AccountAtEpoch,
  type AccountWithPassword,
  nextEpoch,
  passwordChange,
  profileWithPassword,
  type StoredAccount,
  toStoredAccount,
} from "../access/account.ts";
import { type AccountAccess, type AccountType, accountAccess } from "../access/account-access.ts";
import { accountKeys } from "../access/keys.ts";
import { type Identity, identityItems } from "./identities-repository.ts";

const claimItem = z.object({ user_id: z.int() });
/** No account has this id. A lookup of an unknown name continues with it, so it costs as many reads as any other. */
const unusedId = 0;

const counterItem = z.object({ value: z.int() });

/** The fields of a new account that the caller chooses. */
export type NewAccount = Pick<
  AccountWithPassword,
  | "username"
  | "email"
  | "password_hash"
  | "organization"
  | "full_name"
  | "organization_type"
  | "sector"
  | "accepted_terms"
>;

/** The identity with which a new account's owner signs in at an identity provider. */
export interface FirstIdentity {
  readonly identity: Identity;
  readonly oauthType: Exclude<Account["oauth_type"], "Credentials">;
  /** Whether the provider has verified the address. */
  readonly emailVerified: boolean;
}

/** The fields that an owner may change. */
export type ProfileChanges = Partial<
  Pick<Account, "full_name" | "organization" | "organization_type" | "sector">
>;

/** An account by its id or one of its names; names match without case. */
export type AccountReference =
  | { readonly id: number }
  | { readonly username: string }
  | { readonly email: string };

/** Why a registration was cancelled. */
const registrationError = ({ failures: [username, email] }: TransactionResult): Error => {
  // A conflict: another registration is writing the same name.
  for (const reason of ["condition", "conflict"] as const) {
    if (username?.reason === reason) return new AppError("username_taken", { param: "username" });
    if (email?.reason === reason) return new AppError("email_taken", { param: "email" });
  }
  return new Error("A new account conflicts with an item that exists.");
};

/** A new access item. It has the map from the start, so the ids of tokens can be added to it. */
const newAccess = (access: AccountAccess) => ({ ...access, revoked: {} });

const newItem = (item: Item) => ({ put: item, condition: isNew });

const idOf = async (table: Table, reference: AccountReference): Promise<number> => {
  if ("id" in reference) return reference.id;
  const Key =
    "email" in reference
      ? accountKeys.emailClaim(reference.email)
      : accountKeys.usernameClaim(reference.username);
  const claim = await table.read({ Key });
  return claim ? claimItem.parse(claim).user_id : unusedId;
};

/**
 * Moves the access fields of an account of an older version, which stored them in its profile, to an item of their own.
 * Writes nothing when they change meanwhile, or another request moves them; the next read finds them.
 */
const moveAccess = async (table: Table, userId: number, access: AccountAccess): Promise<void> => {
  const names = Object.keys(access);
  const update = {
    Key: accountKeys.profile(userId),
    UpdateExpression: `REMOVE ${names.join(", ")}`,
    ConditionExpression: names.map((name) => `${name} = :${name}`).join(" AND "),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(access).map(([name, value]) => [`:${name}`, value]),
    ),
  };
  await table.transact([{ update }, newItem({ ...accountKeys.access(userId), ...newAccess(access) })]);
};

/** Returns both items of an account, or `undefined` unless both exist. */
const readItems = async (table: Table, userId: number) => {
  const readBoth = async () => {
    // In this order: should the password change between the two, the hash only opens an epoch that has ended.
    const access = await table.read({ Key: accountKeys.access(userId) });
    return { access, profile: await table.read({ Key: accountKeys.profile(userId) }) };
  };
  const first = await readBoth();
  if (!first.profile) return undefined;
  if (first.access) return { access: accountAccess.parse(first.access), profile: first.profile };
  const older = accountAccess.safeParse(first.profile);
  if (older.success) await moveAccess(table, userId, older.data);
  // Read again in any case: another request may just have moved them.
  const { access, profile } = await readBoth();
  return access && profile ? { access: accountAccess.parse(access), profile } : undefined;
};

const findAccount = async (table: Table, reference: AccountReference): Promise<StoredAccount | undefined> => {
  const items = await readItems(table, await idOf(table, reference));
  return items && toStoredAccount(items.profile, items.access);
};

const nextId = async (table: Table): Promise<number> => {
  const { item } = await table.update({
    Key: accountKeys.idCounter(),
    UpdateExpression: "ADD #value :one",
    ExpressionAttributeNames: { "#value": "value" },
    ExpressionAttributeValues: { ":one": 1 },
  });
  return counterItem.parse(item).value;
};

/** Changes fields of an item that exists. Returns `false` when it does not. */
const changeFields = async (table: Table, Key: ItemKey, changes: object): Promise<boolean> => {
  const fields = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (fields.length === 0) return true;
  const { applied } = await table.update({
    Key,
    UpdateExpression: `SET ${fields.map((_, index) => `#f${index} = :v${index}`).join(", ")}`,
    ...exists,
    ExpressionAttributeNames: Object.fromEntries(fields.map(([field], index) => [`#f${index}`, field])),
    ExpressionAttributeValues: Object.fromEntries(fields.map(([, value], index) => [`:v${index}`, value])),
  });
  return applied;
};

/** The entries of an account in the operators' lists. They replace those of an earlier account with the same names. */
export const listedNames = ({
  id,
  username,
  email,
}: Pick<Account, "id" | "username" | "email">): TableWrite[] => [
  { put: { ...accountKeys.listedUsername(username), user_id: id } },
  { put: { ...accountKeys.listedEmail(email), user_id: id } },
];

/** Creates the two items of an account, the claims on its names, and its first identity: all of them or none. */
const createAccount = async (
  table: Table,
  fields: NewAccount,
  first: FirstIdentity | undefined,
): Promise<StoredAccount> => {
  const profile = {
    ...fields,
    id: await nextId(table),
    oauth_type: first?.oauthType ?? "Credentials",
    created_at: new Date().toISOString(),
  };
  const access: AccountAccess = {
    account_type: "Free",
    disabled: false,
    token_epoch: 0,
    email_verified: first?.emailVerified ?? false,
  };
  const claim = { user_id: profile.id };
  const result = await table.transact(
    [
      newItem({ ...accountKeys.usernameClaim(profile.username), ...claim }),
      newItem({ ...accountKeys.emailClaim(profile.email), ...claim }),
      newItem({ ...accountKeys.profile(profile.id), ...profile }),
      newItem({ ...accountKeys.access(profile.id), ...newAccess(access) }),
      ...(first
        ? identityItems({ userId: profile.id, tokenEpoch: access.token_epoch }, first.identity).map(newItem)
        : []),
      ...listedNames(profile),
    ],
    { reportsConflicts: true },
  );
  if (!result.applied) throw registrationError(result);
  return toStoredAccount(profile, access);
};

/** Accounts in the table. */
export type AccountsRepository = ReturnType<typeof createAccountsRepository>;

/** The accounts in the service's table; access patterns A1 to A5, A11 and A12 of the README in `shared/accounts`. */
export const createAccountsRepository = (table: Table) => {
  /** Changes an item of an account. Returns the changed account, or `undefined` when there is none. */
  const change = async (userId: number, Key: ItemKey, changes: object) =>
    (await changeFields(table, Key, changes)) ? findAccount(table, { id: userId }) : undefined;
  const changeAccess = (userId: number, changes: Partial<AccountAccess>) =>
    change(userId, accountKeys.access(userId), changes);

  return {
    find: (reference: AccountReference) => findAccount(table, reference),

    /** Returns the account with the hash of its password, for as many reads as without it. */
    findWithPassword: async (reference: AccountReference): Promise<AccountWithPassword | undefined> => {
      const items = await readItems(table, await idOf(table, reference));
      if (!items) return undefined;
      const { password_hash } = profileWithPassword.parse(items.profile);
      const account = toStoredAccount(items.profile, items.access);
      return password_hash === undefined ? account : { ...account, password_hash };
    },

    /**
     * Creates an account.
     *
     * @param first the identity of an owner who signs in through an identity provider.
     * @throws AppError `username_taken` or `email_taken`.
     */
    create: (fields: NewAccount, first?: FirstIdentity): Promise<StoredAccount> =>
      createAccount(table, fields, first),

    updateProfile: (userId: number, changes: ProfileChanges) =>
      change(userId, accountKeys.profile(userId), changes),
    /** Records which terms the owner has accepted. */
    acceptTerms: (userId: number, accepted: AcceptedTerms) =>
      change(userId, accountKeys.profile(userId), { accepted_terms: accepted }),
    setLanguages: (
      userId: number,
      languages: Pick<AccountAccess, "default_language" | "default_languages">,
    ) => changeAccess(userId, languages),
    setKeywords: (userId: number, keywords: readonly string[]) =>
      changeAccess(userId, { keywords: [...keywords] }),
    setAccountType: (userId: number, type: AccountType) => changeAccess(userId, { account_type: type }),
    setDisabled: (userId: number, disabled: boolean) => changeAccess(userId, { disabled }),
    /** For an account that an operator creates; owners prove their address with a mailed link. */
    setEmailVerified: (userId: number) => changeAccess(userId, { email_verified: true }),

    /**
     * Removes the second factor of an account, and a set-up that waits.
     *
     * @param others written together with it, for an operator's act.
     * @returns `false`, and writes nothing, when the account has none.
     */
    removeSecondFactor: async (userId: number, others: readonly TableWrite[] = []): Promise<boolean> => {
      const update = {
        Key: accountKeys.profile(userId),
        UpdateExpression: "REMOVE second_factor, second_factor_setup",
        ConditionExpression: "attribute_exists(second_factor)",
      };
      return (await table.transact([{ update }, ...others])).applied;
    },

    /**
     * Revokes every token, session and reset link of the account.
     *
     * @param seen the account as it was when the right to do so was proved.
     * @returns `false`, and writes nothing, when they were revoked since, or the account is gone.
     */
    revokeTokens: async (seen: AccountAtEpoch): Promise<boolean> =>
      (await table.update(nextEpoch(seen))).applied,

    /**
     * Sets a new password and revokes every token and reset link of the account.
     *
     * @param seen the account as it was when the right to do so was proved.
     * @returns `false`, and writes nothing, when the password was changed since, or the account is gone.
     */
    changePassword: async (seen: AccountAtEpoch, passwordHash: string): Promise<boolean> => {
      const updates = passwordChange(seen, passwordHash);
      return (await table.transact(updates.map((update) => ({ update })))).applied;
    },
  };
};
