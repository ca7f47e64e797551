import { createHash } from "node:crypto";

/** The prefix of the keys of access items: permissions to admit requests and do nothing else use it. */
export const accessKeyPrefix = "ACCESS#";

/** The prefix of the partition keys of what accounts own; permissions use it. */
export const ownedKeyPrefix = "OWNED#";

/** The prefix of the sort keys of keys in lists. */
export const apiKeyItemPrefix = "KEY#";

/** The prefix of the keys of identities, and of their sort keys in lists. */
export const identityKeyPrefix = "IDENTITY#";

/** The prefix of the partition key of accounts that will be erased. */
export const erasureKeyPrefix = "ERASURE#";

/** The prefix of the partition keys of accounts in the order of their names; permissions use it. */
export const accountListKeyPrefix = "ACCOUNTS#";

/** The prefix of the partition keys of the audit log; permissions use it. */
export const auditKeyPrefix = "AUDIT#";

/** The prefixes of the other partition keys of accounts; permissions use them. */
export const accountKeyPrefixes = {
  profile: "USER#",
  username: "USERNAME#",
  email: "EMAIL#",
  counter: "COUNTER#USER",
  link: "LINK#",
} as const;

const prefixes = accountKeyPrefixes;

/** The key table of the README in `shared/accounts`, in code. No other file spells a key. */
export const accountKeys = {
  /** A1: an account's profile and the hash of its password. */
  profile: (userId: number) => ({ PK: `${prefixes.profile}${userId}`, SK: "PROFILE" }),
  /** A2: the account with a username; names match without case. */
  usernameClaim: (username: string) => ({ PK: `${prefixes.username}${username.toLowerCase()}`, SK: "CLAIM" }),
  /** A3: the account with an email address; addresses match without case. */
  emailClaim: (email: string) => ({ PK: `${prefixes.email}${email.toLowerCase()}`, SK: "CLAIM" }),
  /** A4: the last account id. */
  idCounter: () => ({ PK: prefixes.counter, SK: "COUNTER" }),
  /** A5: the access of an account. */
  access: (userId: number) => ({ PK: `${accessKeyPrefix}${userId}`, SK: "ACCESS" }),
  /** A6: a key in lists. */
  apiKey: (userId: number, keyId: string) => ({
    PK: `${prefixes.profile}${userId}`,
    SK: `${apiKeyItemPrefix}${keyId}`,
  }),
  /** A7: the account of an identity. A digest, because issuers and subjects may have any length. */
  identity: (digest: string) => ({ PK: `${identityKeyPrefix}${digest}`, SK: "IDENTITY" }),
  /** A8: an identity of an account in lists. */
  ownIdentity: (userId: number, digest: string) => ({
    PK: `${prefixes.profile}${userId}`,
    SK: `${identityKeyPrefix}${digest}`,
  }),
  /** A9: a completed login through a provider; each completes once. */
  returnedLogIn: (state: string) => ({
    PK: `${identityKeyPrefix}STATE#${createHash("sha256").update(state).digest("base64url")}`,
    SK: "STATE",
  }),
  /** A10: an account that will be erased, by the time. */
  erasure: (eraseAt: string, userId: number) => ({
    PK: `${erasureKeyPrefix}DUE`,
    SK: `${eraseAt}#${userId}`,
  }),
  /** A11: accounts in the order of their usernames, for the operators' search. */
  listedUsername: (username: string) => ({
    PK: `${accountListKeyPrefix}USERNAME`,
    SK: username.toLowerCase(),
  }),
  /** A12: accounts in the order of their email addresses. */
  listedEmail: (email: string) => ({ PK: `${accountListKeyPrefix}EMAIL`, SK: email.toLowerCase() }),
  /** A13: an act of an operator, by its time. All acts of a month share a partition. */
  audit: (time: string, id: string) => ({ PK: `${auditKeyPrefix}${time.slice(0, 7)}`, SK: `${time}#${id}` }),
  /** O1: something with a key of its own, by its owner. */
  owned: (userId: number, name: string) => ({ PK: `${ownedKeyPrefix}${userId}`, SK: name }),
  /** L1: a mailed link. Only a digest is stored, so reading the table does not reveal the link. */
  link: (secret: string) => ({
    PK: `${prefixes.link}${createHash("sha256").update(secret).digest("base64url")}`,
    SK: "LINK",
  }),
};
