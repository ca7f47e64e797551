import {
  accessKeyPrefix,
  accountKeyPrefixes,
  accountListKeyPrefix,
  auditKeyPrefix,
  erasureKeyPrefix,
  identityKeyPrefix,
  ownedKeyPrefix,
} from "../../shared/accounts/access/keys.ts";
import { limitKeyPrefix, mailKeyPrefix, usageKeyPrefix } from "../../shared/accounts/limits/keys.ts";
import { noticeKeyPrefix } from "../../shared/accounts/notices/keys.ts";
import { requestKeyPrefix } from "../../shared/accounts/requests/keys.ts";
import { tierRequestKeyPrefix } from "../../shared/accounts/tiers/keys.ts";
import { idempotencyKeyPrefix } from "../../shared/http/idempotency/keys.ts";
import { senderKeyPrefix, translationFeedbackKeyPrefix } from "../../shared/messaging/keys.ts";
import { modelKeyPrefix } from "../../shared/models/health/keys.ts";
import { statusKeyPrefix } from "../../shared/platform/status/keys.ts";
import { callbackKeyPrefix } from "../../shared/recordings/callbacks/keys.ts";
import { assistantJobKeyPrefix, jobKeyPrefix } from "../../shared/recordings/jobs/keys.ts";
import { transcriptionKeyPrefix } from "../../shared/recordings/saved-transcriptions/keys.ts";
import { uploadKeyPrefix } from "../../shared/recordings/uploads/keys.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";

const { profile, username, email, counter, link } = accountKeyPrefixes;

/** How the partition keys begin of everything that the deletion of an account finds in this way. */
const erasedBy = (by: "key" | "leader" | "partition" | "record"): string[] =>
  storedKinds.items.flatMap(({ keys: [partition], erased }) => (erased.by === by ? [partition] : []));

/** The same, of what the export of an account contains as items. */
const exportedBy = (by: "key" | "partition" | "record" | "step"): string[] =>
  storedKinds.items.flatMap(({ keys: [partition], erased, exported }) =>
    erased.by === by && "row" in exported ? [partition] : [],
  );

/** The operations that functions use, with the beginnings of the keys of items that they may use them on. */
type KeyPrefixes = Readonly<Partial<Record<TableOperation, readonly string[]>>>;

/**
 * What each access to the table allows.
 *
 * An operation in a transaction has the prefixes of the whole transaction: AWS documents nowhere whether it judges the keys of a
 * transaction one by one or together.
 */
const tableAccesses = {
  /** Finding an account by its id. Those of older versions move their access to an item of its own. */
  "find-accounts": {
    GetItem: [profile, accessKeyPrefix],
    PutItem: [profile, accessKeyPrefix],
    UpdateItem: [profile, accessKeyPrefix],
  },
  /** Creating links for an account and counting its mails. */
  "write-mails": {
    GetItem: [email, mailKeyPrefix],
    PutItem: [link, mailKeyPrefix],
  },
  /** Noting that an address gets no mails any longer. */
  "withhold-mails": { PutItem: [mailKeyPrefix] },
  /** Managing accounts, with their tokens, keys, links, sessions and counters. */
  "keep-accounts": {
    BatchWriteItem: [profile],
    ConditionCheckItem: [link, accessKeyPrefix],
    DeleteItem: [limitKeyPrefix, link, accessKeyPrefix, profile, identityKeyPrefix, callbackKeyPrefix],
    GetItem: [username, email, limitKeyPrefix, link, callbackKeyPrefix],
    PutItem: [username, email, limitKeyPrefix, accountListKeyPrefix],
    Query: [profile, usageKeyPrefix],
    UpdateItem: [counter, limitKeyPrefix, link, callbackKeyPrefix],
  },
  /** Joining identities to accounts, and logging in with them. */
  "join-identities": {
    ConditionCheckItem: [profile, identityKeyPrefix, accessKeyPrefix],
    GetItem: [identityKeyPrefix],
    PutItem: [identityKeyPrefix, username, email, callbackKeyPrefix],
    UpdateItem: [identityKeyPrefix],
  },
  /** Disabling accounts whose address belongs to another person. */
  "disown-accounts": {
    DeleteItem: [link, email, profile, accessKeyPrefix, erasureKeyPrefix, accountListKeyPrefix],
    PutItem: [link, email, profile, accessKeyPrefix, erasureKeyPrefix, accountListKeyPrefix],
    UpdateItem: [link, email, profile, accessKeyPrefix, erasureKeyPrefix, accountListKeyPrefix],
  },
  /** Finding accounts by parts of their names, showing what operators did, and recording their acts together with these. */
  "show-operators": {
    DeleteItem: [auditKeyPrefix],
    GetItem: [counter],
    PutItem: [accessKeyPrefix, auditKeyPrefix, jobKeyPrefix, callbackKeyPrefix],
    Query: [accountListKeyPrefix, auditKeyPrefix, modelKeyPrefix],
    UpdateItem: [auditKeyPrefix],
  },
  /** Showing operators an account with its sessions and usage, deciding for it, and counting what they type to confirm that. */
  "act-on-accounts": {
    DeleteItem: [limitKeyPrefix],
    GetItem: [username, email, limitKeyPrefix],
    PutItem: [limitKeyPrefix, tierRequestKeyPrefix],
    Query: [profile, usageKeyPrefix],
    UpdateItem: [limitKeyPrefix],
  },
  /** Finding accounts that must be erased. */
  "find-erasures": { DeleteItem: [erasureKeyPrefix], Query: [erasureKeyPrefix] },
  /** Deleting an account and everything that belongs to it, except for its usage. */
  "erase-accounts": {
    BatchWriteItem: [...erasedBy("partition"), ...erasedBy("leader"), ...erasedBy("key")],
    DeleteItem: [profile, accessKeyPrefix, username, email, accountListKeyPrefix, ...erasedBy("record")],
    GetItem: [accessKeyPrefix],
    Query: [...erasedBy("partition"), ownedKeyPrefix],
    UpdateItem: [accessKeyPrefix, usageKeyPrefix],
  },
  /** Reading everything that the export of an account contains, and noting that it is ready. */
  "export-accounts": {
    GetItem: [...exportedBy("key"), ...exportedBy("record"), ...exportedBy("step")],
    Query: [...exportedBy("partition"), ownedKeyPrefix, usageKeyPrefix],
    UpdateItem: [profile],
  },
  /**
   * The operator's changes of accounts, reports of usage, list of wrong translations, and deletion of the assistant's data about a
   * person; and creating the account of the smoke tests.
   */
  "operate-accounts": {
    BatchWriteItem: [profile, senderKeyPrefix, assistantJobKeyPrefix, translationFeedbackKeyPrefix],
    ConditionCheckItem: [accessKeyPrefix, accountListKeyPrefix],
    DeleteItem: [profile, mailKeyPrefix, auditKeyPrefix, senderKeyPrefix],
    GetItem: [username, mailKeyPrefix, counter, translationFeedbackKeyPrefix],
    PutItem: [username, email, accountListKeyPrefix, auditKeyPrefix, accessKeyPrefix, mailKeyPrefix],
    Query: [profile, usageKeyPrefix, senderKeyPrefix, translationFeedbackKeyPrefix],
    UpdateItem: [counter, auditKeyPrefix],
  },
  /** Counting calls to the models' servers. */
  "count-model-calls": { UpdateItem: [modelKeyPrefix] },
  /** Noting and deleting an owner. */
  "keep-owner": { DeleteItem: [ownedKeyPrefix], PutItem: [ownedKeyPrefix] },
  /** Checking tokens, counting an account's requests, and moving its usage to the items of past days. */
  admit: { GetItem: [accessKeyPrefix], UpdateItem: [accessKeyPrefix, usageKeyPrefix] },
  /** Showing and replacing the secrets of callbacks, and noting their outcomes. */
  "keep-callbacks": { GetItem: [callbackKeyPrefix], UpdateItem: [callbackKeyPrefix] },
  /** Listing callbacks that failed, together with their outcomes. */
  "list-callbacks": { DeleteItem: [callbackKeyPrefix], PutItem: [callbackKeyPrefix] },
  /** Storing the requests of accounts, and noting who got a mail about a used month. */
  "log-requests": {
    BatchWriteItem: [requestKeyPrefix],
    DeleteItem: [noticeKeyPrefix],
    GetItem: [accessKeyPrefix],
    PutItem: [noticeKeyPrefix],
  },
  /** Showing the requests of an account. */
  "show-requests": { Query: [requestKeyPrefix] },
  /** Requesting a higher tier. */
  "request-tier": { GetItem: [tierRequestKeyPrefix], PutItem: [tierRequestKeyPrefix] },
  /** Listing requests for a higher tier, and deciding about them. */
  "decide-tiers": {
    GetItem: [tierRequestKeyPrefix],
    Query: [tierRequestKeyPrefix],
    UpdateItem: [tierRequestKeyPrefix],
  },
  /** Finding the accounts that call some routes, and noting who got a mail about their end. */
  "notify-accounts": {
    DeleteItem: [noticeKeyPrefix],
    GetItem: [accessKeyPrefix, noticeKeyPrefix],
    PutItem: [noticeKeyPrefix],
    Query: [usageKeyPrefix],
  },
  /** Noting the outcomes of the canary. */
  "note-status": { UpdateItem: [statusKeyPrefix] },
  /** Showing the outcomes of the canary. */
  "show-status": { Query: [statusKeyPrefix] },
  /** Showing callbacks and sending them again. */
  "resend-callbacks": {
    GetItem: [callbackKeyPrefix, jobKeyPrefix],
    Query: [callbackKeyPrefix],
    UpdateItem: [callbackKeyPrefix],
  },
  /** Storing the responses of idempotent requests. */
  "store-responses": { UpdateItem: [idempotencyKeyPrefix] },
  /** Counting requests of addresses. */
  "count-addresses": { UpdateItem: [limitKeyPrefix] },
  /** Creating jobs of accounts and showing them. */
  "create-jobs": {
    GetItem: [jobKeyPrefix],
    PutItem: [jobKeyPrefix, accessKeyPrefix],
    Query: [jobKeyPrefix],
    UpdateItem: [jobKeyPrefix, accessKeyPrefix],
  },
  /** Creating jobs of accounts, showing and cancelling them. */
  "keep-jobs": {
    DeleteItem: [jobKeyPrefix, accessKeyPrefix],
    GetItem: [jobKeyPrefix],
    PutItem: [jobKeyPrefix, accessKeyPrefix],
    Query: [jobKeyPrefix],
    UpdateItem: [jobKeyPrefix, accessKeyPrefix],
  },
  /** Showing jobs and cancelling them. */
  "show-jobs": {
    DeleteItem: [jobKeyPrefix, accessKeyPrefix],
    GetItem: [jobKeyPrefix],
    Query: [jobKeyPrefix],
    UpdateItem: [jobKeyPrefix, accessKeyPrefix],
  },
  /** Working on jobs, and refunding audio that they have not transcribed. */
  "work-on-jobs": {
    BatchWriteItem: [jobKeyPrefix],
    DeleteItem: [jobKeyPrefix, accessKeyPrefix],
    GetItem: [jobKeyPrefix, accessKeyPrefix],
    PutItem: [jobKeyPrefix, accessKeyPrefix],
    Query: [jobKeyPrefix],
    UpdateItem: [jobKeyPrefix, accessKeyPrefix],
  },
  /** Creating jobs for people who send the assistant long recordings. */
  "create-assistant-jobs": {
    GetItem: [assistantJobKeyPrefix],
    PutItem: [assistantJobKeyPrefix],
    UpdateItem: [assistantJobKeyPrefix],
  },
  /** Finding an upload. */
  "find-upload": { GetItem: [uploadKeyPrefix] },
  /** Storing, finding and deleting uploads. */
  "keep-uploads": { DeleteItem: [uploadKeyPrefix], GetItem: [uploadKeyPrefix], PutItem: [uploadKeyPrefix] },
  /** Replying to people, with their state, showing it to them and deleting it. */
  converse: {
    BatchWriteItem: [senderKeyPrefix, translationFeedbackKeyPrefix],
    DeleteItem: [senderKeyPrefix, translationFeedbackKeyPrefix],
    GetItem: [senderKeyPrefix, translationFeedbackKeyPrefix],
    PutItem: [senderKeyPrefix, translationFeedbackKeyPrefix],
    Query: [senderKeyPrefix],
    UpdateItem: [senderKeyPrefix, translationFeedbackKeyPrefix],
  },
  /** Noting reports about replies. */
  "note-receipt": { UpdateItem: [senderKeyPrefix] },
  /** Storing, finding and deleting transcriptions. */
  "keep-transcriptions": {
    DeleteItem: [transcriptionKeyPrefix],
    GetItem: [transcriptionKeyPrefix],
    PutItem: [transcriptionKeyPrefix],
    UpdateItem: [transcriptionKeyPrefix],
  },
} satisfies Readonly<Record<string, KeyPrefixes>>;

export type TableAccess = keyof typeof tableAccesses;

const operations = [
  "BatchWriteItem",
  "ConditionCheckItem",
  "DeleteItem",
  "GetItem",
  "PutItem",
  "Query",
  "UpdateItem",
] as const;

type TableOperation = (typeof operations)[number];

/** Without what begins with another prefix of the list. */
const widest = (prefixes: readonly string[]): string[] =>
  [...new Set(prefixes)]
    .filter((prefix) => !prefixes.some((other) => other !== prefix && prefix.startsWith(other)))
    .toSorted();

/**
 * The statements for some accesses: each operation is in exactly one, with all its prefixes, so a transaction over several
 * partitions is allowed however its keys are judged.
 */
export const statementsFor = (
  accesses: readonly TableAccess[],
): { readonly actions: string[]; readonly prefixes: readonly string[] }[] => {
  const byOperation = operations.map((operation) => ({
    operation,
    prefixes: widest(
      accesses.flatMap((access) => {
        const prefixesOf: KeyPrefixes = tableAccesses[access];
        return prefixesOf[operation] ?? [];
      }),
    ),
  }));
  const used = byOperation.filter(({ prefixes }) => prefixes.length > 0);
  return [...Map.groupBy(used, ({ prefixes }) => prefixes.join(" ")).values()].map((group) => ({
    actions: group.map(({ operation }) => `dynamodb:${operation}`),
    prefixes: group[0]?.prefixes ?? [],
  }));
};
