import * as z from "zod";
import { daySeconds, hourSeconds } from "../../platform/durations.ts";
import { type DataOwner, type ItemKind, onlyAttributes } from "../../platform/storage/stored-kinds.ts";
import type { Item } from "../../platform/storage/table.ts";
import { storedKey } from "./access.ts";
import {
  accessKeyPrefix,
  accountKeys,
  accountListKeyPrefix,
  apiKeyItemPrefix,
  erasureKeyPrefix,
  identityKeyPrefix,
  ownedKeyPrefix,
  accountKeyPrefixes as prefixes,
} from "./keys.ts";

/** The end of the life of what is deleted with its account. */
export const untilDeleted = { until: "the account is deleted" } as const;

const lastStep = {
  by: "step",
  step: "`end`: together with the account, so its names stay taken until then",
} as const;

/** The partition of an account, with its profile, keys, identities and sessions. */
export const inAccount = {
  by: "partition",
  of: ({ id }: DataOwner) => [accountKeys.profile(id).PK],
} as const;

const keyEntries = z.record(z.string(), storedKey);

/** The choices of an account's keys, without the digests. */
const keyChoices = ({ api_keys }: Item) =>
  Object.entries(keyEntries.catch({}).parse(api_keys ?? {})).map(([id, { s, e, l, m, u }]) => ({
    id,
    scopes: s ? [...s] : "all",
    expires_at: e,
    monthly_limit: l,
    requests_per_minute: m,
    last_used_at: u,
  }));

/** A1 to A12, O1 and L1 of the README in `shared/accounts`. */
export const accountKinds: readonly ItemKind[] = [
  {
    id: "A1",
    what: "The profile of an account: username, email address, organization, name, accepted terms, the hash of the password, and the encrypted secret of the second factor",
    about: "account",
    keys: [prefixes.profile, "PROFILE"],
    lasts: untilDeleted,
    erased: { ...lastStep, key: ({ id }) => accountKeys.profile(id) },
    exported: {
      file: "account.json",
      row: onlyAttributes(
        ...["id", "username", "email", "full_name", "organization", "organization_type", "sector"],
        ...["oauth_type", "created_at", "accepted_terms"],
      ),
    },
  },
  {
    id: "A2",
    what: "The username, and whose it is",
    about: "account",
    keys: [prefixes.username, "CLAIM"],
    lasts: untilDeleted,
    erased: lastStep,
    exported: { never: "It repeats what account.json contains." },
  },
  {
    id: "A3",
    what: "The email address, and whose it is",
    about: "account",
    keys: [prefixes.email, "CLAIM"],
    lasts: untilDeleted,
    erased: lastStep,
    exported: { never: "It repeats what account.json contains." },
  },
  {
    id: "A4",
    what: "The last number of an account",
    about: "service",
    keys: [prefixes.counter, "COUNTER"],
    lasts: { until: "the service ends" },
    erased: { by: "none", why: "It is about no one." },
    exported: { never: "It is about no one." },
  },
  {
    id: "A5",
    what: "The tier and status of an account, names and terms in its recordings, its counters of requests, and the digests and limits of its keys",
    about: "account",
    keys: [accessKeyPrefix, "ACCESS"],
    lasts: untilDeleted,
    erased: { ...lastStep, key: ({ id }) => accountKeys.access(id) },
    exported: {
      file: "access.json",
      row: (item) => ({
        ...onlyAttributes(
          "account_type",
          "disabled",
          "email_verified",
          "default_language",
          "default_languages",
          "keywords",
        )(item),
        keys: keyChoices(item),
      }),
    },
  },
  {
    id: "A6",
    what: "A key of an account: its name, its first characters, and when it was created",
    about: "account",
    keys: [prefixes.profile, apiKeyItemPrefix],
    lasts: { until: "the key is revoked, or the account is deleted" },
    erased: inAccount,
    exported: { file: "keys.json", row: onlyAttributes("name", "prefix", "created_at") },
  },
  {
    id: "A7",
    what: "The account of an identity at another provider, by a digest",
    about: "account",
    keys: [identityKeyPrefix, "IDENTITY"],
    lasts: { until: "the identity is removed, or the account is deleted" },
    erased: { by: "leader", leader: "A8" },
    exported: { never: "It is a digest of what identities.json contains." },
  },
  {
    id: "A8",
    what: "An identity of an account at another provider: who provides it, and the address there",
    about: "account",
    keys: [prefixes.profile, identityKeyPrefix],
    lasts: { until: "the identity is removed, or the account is deleted" },
    erased: {
      ...inAccount,
      leadsTo: ({ SK }) => [accountKeys.identity(SK.slice(identityKeyPrefix.length))],
    },
    exported: { file: "identities.json", row: onlyAttributes("issuer", "email", "joined_at") },
  },
  {
    id: "A9",
    what: "A completed login through another provider, by a digest",
    about: "account",
    keys: [`${identityKeyPrefix}STATE#`, "STATE"],
    lasts: { seconds: hourSeconds },
    erased: { by: "none", why: "It names no account." },
    exported: { never: "It is a digest, and names no account." },
  },
  {
    id: "A10",
    what: "An account that will be erased, because its address belongs to another person",
    about: "account",
    keys: [erasureKeyPrefix, ""],
    lasts: { until: "the account is erased, seven days later" },
    erased: { by: "step", step: "the function `erasure` deletes it when it has erased the account" },
    exported: { never: "Such an account is disabled, and can export nothing." },
  },
  {
    id: "A11, A12",
    what: "The number of an account by its username and by its email address, so that operators can search for it",
    about: "account",
    keys: [accountListKeyPrefix, ""],
    lasts: untilDeleted,
    erased: lastStep,
    exported: { never: "It repeats what account.json contains." },
  },
  {
    id: "O1",
    what: "What an account has created: the names of its uploads and saved transcriptions",
    about: "account",
    keys: [ownedKeyPrefix, ""],
    lasts: { seconds: 30 * daySeconds },
    erased: { by: "record" },
    exported: { never: "It only leads to what the export contains." },
  },
  {
    id: "L1",
    what: "A link that was mailed, by a digest of its secret",
    about: "account",
    keys: [prefixes.link, "LINK"],
    lasts: { seconds: daySeconds },
    erased: { by: "none", why: "It expires within a day, and no longer works." },
    exported: { never: "It is a digest of a secret." },
  },
];
