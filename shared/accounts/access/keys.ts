import { createHash } from "node:crypto";

/** The keys of what every request reads and writes, so that a function can be allowed to admit requests and nothing else. */
export const accessKeyPrefix = "ACCESS#";

/** Partition keys of what accounts own begin with it; permissions go by it. */
export const ownedKeyPrefix = "OWNED#";

/** How the sort keys of what lists say of keys begin. */
export const apiKeyItemPrefix = "KEY#";

/** How the keys begin of an identity at a provider, and the sort keys of what lists say of it. */
export const identityKeyPrefix = "IDENTITY#";

/** How the keys of what a mail with a link touches begin: the account by its address, and the link. */
export const recipientKeyPrefixes = ["USER#", "EMAIL#", "LINK#", accessKeyPrefix] as const;

/** How the partition keys of this folder begin. */
export const accountKeyPrefixes = [
  ...recipientKeyPrefixes,
  "USERNAME#",
  "COUNTER#USER",
  identityKeyPrefix,
  ownedKeyPrefix,
] as const;

/** The key table of this folder's README, in code. No other file spells a key. */
export const accountKeys = {
  /** A1: an account's profile and the hash of its password. */
  profile: (userId: number) => ({ PK: `USER#${userId}`, SK: "PROFILE" }),
  /** A2: who holds a user name; names are matched without case. */
  usernameClaim: (username: string) => ({ PK: `USERNAME#${username.toLowerCase()}`, SK: "CLAIM" }),
  /** A3: who holds an e-mail address; addresses are matched without case. */
  emailClaim: (email: string) => ({ PK: `EMAIL#${email.toLowerCase()}`, SK: "CLAIM" }),
  /** A4: the last account id given out. */
  idCounter: () => ({ PK: "COUNTER#USER", SK: "COUNTER" }),
  /** A5: what decides about an account's requests. */
  access: (userId: number) => ({ PK: `${accessKeyPrefix}${userId}`, SK: "ACCESS" }),
  /** A6: what only lists say of a key. */
  apiKey: (userId: number, keyId: string) => ({ PK: `USER#${userId}`, SK: `${apiKeyItemPrefix}${keyId}` }),
  /** A7: whose account an identity opens. Issuers and subjects may be of any length, their digest is not. */
  identity: (digest: string) => ({ PK: `${identityKeyPrefix}${digest}`, SK: "IDENTITY" }),
  /** A8: what lists say of an account's identity. */
  ownIdentity: (userId: number, digest: string) => ({
    PK: `USER#${userId}`,
    SK: `${identityKeyPrefix}${digest}`,
  }),
  /** A9: that a log-in through a provider has been answered, which each may be once. */
  returnedLogIn: (state: string) => ({
    PK: `${identityKeyPrefix}STATE#${createHash("sha256").update(state).digest("base64url")}`,
    SK: "STATE",
  }),
  /** O1: something that is kept under a key of its own, by whose it is. */
  owned: (userId: number, name: string) => ({ PK: `${ownedKeyPrefix}${userId}`, SK: name }),
  /** L1: a link that was mailed. Only a digest is stored: reading the table does not open a link. */
  link: (secret: string) => ({
    PK: `LINK#${createHash("sha256").update(secret).digest("base64url")}`,
    SK: "LINK",
  }),
};
