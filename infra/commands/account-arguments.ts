import { parseArgs } from "node:util";
import { type AccountType, accountType } from "../../shared/accounts/access/account-access.ts";
import type { TierDecision } from "../../shared/accounts/mail/mail-request.ts";
import { UsageError } from "../command-line.ts";

export interface Change {
  readonly username: string;
  readonly type: AccountType | undefined;
  readonly disabled: boolean | undefined;
  /** Whether to send mails to its address again after one bounced or caused a complaint. */
  readonly allowsMail: boolean;
  /** Whether to remove its second factor, for an owner without phone and recovery codes. */
  readonly removesSecondFactor: boolean;
  /** Of the mail that reports it. */
  readonly mailQueue: string | undefined;
}

export interface Deletion {
  readonly deleted: string;
  /** Whether to skip the confirmation. */
  readonly isSure: boolean;
  readonly bucket: string | undefined;
}

/** Shows the keys of an account, after revoking some of them. */
export interface KeysOf {
  readonly keysOf: string;
  readonly revoked: { readonly id: string } | "all" | undefined;
}

/** Creates the account of the smoke tests. */
export interface SmokeAccount {
  readonly smokeAccount: string;
}

export interface Forgetting {
  readonly sender: string;
  readonly bucket: string | undefined;
}

/** Deletes again what has come back with a backup. */
export interface ErasingAgain {
  readonly erasesAgain: true;
  readonly bucket: string;
}

/** Lists the names of accounts that earlier versions created, for the search of operators. */
export interface Listing {
  readonly listsNames: true;
}

/** Decides about the request of an account for a higher tier. */
export interface TierDecisionOf {
  readonly decidedFor: string;
  readonly decision: TierDecision;
  readonly note: string;
  readonly mailQueue: string | undefined;
}

/** Lists requests for a higher tier. */
export interface ListedTierRequests {
  readonly listed: "tier-requests";
}

export interface Wanted {
  readonly table: string | undefined;
  readonly task:
    | Change
    | Deletion
    | ErasingAgain
    | Forgetting
    | KeysOf
    | ListedTierRequests
    | Listing
    | SmokeAccount
    | TierDecisionOf;
}

const parse = (args: string[]) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: {
      type: { type: "string" },
      disable: { type: "boolean" },
      enable: { type: "boolean" },
      "allow-mail": { type: "boolean" },
      "remove-second-factor": { type: "boolean" },
      show: { type: "boolean" },
      delete: { type: "boolean" },
      yes: { type: "boolean" },
      keys: { type: "boolean" },
      "revoke-key": { type: "string" },
      "revoke-keys": { type: "boolean" },
      bucket: { type: "string" },
      smoke: { type: "boolean" },
      "forget-sender": { type: "string" },
      "erase-again": { type: "boolean" },
      "list-names": { type: "boolean" },
      requests: { type: "boolean" },
      "accept-request": { type: "string" },
      "decline-request": { type: "string" },
      "mail-queue": { type: "string" },
      table: { type: "string" },
    },
  });

type Values = ReturnType<typeof parse>["values"];

const hasOthersThan = (values: Values, allowed: readonly (keyof Values)[]): boolean =>
  Object.keys(values).some((name) => !allowed.some((one) => one === name));

const requireStores = (option: string, { table, bucket }: Values): void => {
  if ((table === undefined) === (bucket === undefined)) return;
  throw new UsageError(`${option} takes both --table and --bucket, or neither for the local service.`);
};

const requireMails = (option: string, { table, "mail-queue": mailQueue }: Values): void => {
  if ((table === undefined) === (mailQueue === undefined)) return;
  throw new UsageError(`${option} takes both --table and --mail-queue, or neither for the local service.`);
};

const readForgetting = (values: Values, username: string | undefined): Forgetting => {
  const { "forget-sender": sender, bucket } = values;
  if (!sender || username || hasOthersThan(values, ["forget-sender", "table", "bucket"])) {
    throw new UsageError("--forget-sender takes an id, and only --table and --bucket besides.");
  }
  requireStores("--forget-sender", values);
  return { sender, bucket };
};

const readErasingAgain = (values: Values, username: string | undefined): ErasingAgain => {
  const { table, bucket } = values;
  if (!table || !bucket || username || hasOthersThan(values, ["erase-again", "table", "bucket"])) {
    throw new UsageError("--erase-again takes --table and --bucket, and nothing else.");
  }
  return { erasesAgain: true, bucket };
};

const readListing = (values: Values, username: string | undefined): Listing => {
  if (username || hasOthersThan(values, ["list-names", "table"])) {
    throw new UsageError("--list-names takes only --table.");
  }
  return { listsNames: true };
};

const readKeys = (values: Values, keysOf: string): KeysOf => {
  const { "revoke-key": id, "revoke-keys": isOfAll } = values;
  const hasOthers = hasOthersThan(values, ["keys", "revoke-key", "revoke-keys", "table"]);
  if (hasOthers || (id !== undefined && isOfAll)) {
    throw new UsageError("--keys takes --revoke-key or --revoke-keys, and --table.");
  }
  if (isOfAll) return { keysOf, revoked: "all" };
  return { keysOf, revoked: id === undefined ? undefined : { id } };
};

const readSmokeAccount = (values: Values, smokeAccount: string): SmokeAccount => {
  if (hasOthersThan(values, ["smoke", "table"])) throw new UsageError("--smoke takes only --table.");
  return { smokeAccount };
};

const readDeletion = (values: Values, deleted: string): Deletion => {
  if (hasOthersThan(values, ["delete", "yes", "table", "bucket"])) {
    throw new UsageError("--delete takes only --yes, --table and --bucket.");
  }
  requireStores("--delete", values);
  return { deleted, isSure: values.yes ?? false, bucket: values.bucket };
};

const readChange = (values: Values, username: string): Change => {
  if (values["revoke-key"] !== undefined || values["revoke-keys"])
    throw new UsageError("--revoke-key and --revoke-keys need --keys.");
  if (values.yes || values.bucket !== undefined)
    throw new UsageError("--yes needs --delete, and --bucket needs --delete or --forget-sender.");
  const removesSecondFactor = values["remove-second-factor"] ?? false;
  if (values["mail-queue"] !== undefined && !removesSecondFactor)
    throw new UsageError("--mail-queue needs --accept-request, --decline-request or --remove-second-factor.");
  if (removesSecondFactor) requireMails("--remove-second-factor", values);
  if (values.disable && values.enable) throw new UsageError("Use either --disable or --enable, not both.");
  const type = accountType.optional().safeParse(values.type);
  if (!type.success) {
    throw new UsageError(
      `There is no account type ${values.type}; there are ${accountType.options.join(", ")}.`,
    );
  }
  const disabled = values.disable ? true : values.enable ? false : undefined;
  return {
    username,
    type: type.data,
    disabled,
    allowsMail: values["allow-mail"] ?? false,
    removesSecondFactor,
    mailQueue: values["mail-queue"],
  };
};

const maxNoteLength = 2_000;

const readDecision = (values: Values, decidedFor: string): TierDecisionOf => {
  const { "accept-request": accepted, "decline-request": declined, "mail-queue": mailQueue } = values;
  const options = ["accept-request", "decline-request", "mail-queue", "table"] as const;
  if (hasOthersThan(values, options) || (accepted !== undefined && declined !== undefined)) {
    throw new UsageError(
      "Use either --accept-request or --decline-request, with a note, and not with other changes.",
    );
  }
  requireMails("A decision", values);
  const note = (accepted ?? declined ?? "").trim();
  if (note.length > maxNoteLength)
    throw new UsageError(`The note is longer than ${maxNoteLength} characters.`);
  return { decidedFor, decision: accepted === undefined ? "declined" : "accepted", note, mailQueue };
};

const readTask = (values: Values, [username, ...rest]: readonly string[]): Wanted["task"] => {
  if (values["forget-sender"] !== undefined) return readForgetting(values, username);
  if (values["erase-again"]) return readErasingAgain(values, username);
  if (values["list-names"]) return readListing(values, username);
  if (values.requests) {
    if (username || hasOthersThan(values, ["requests", "table"])) {
      throw new UsageError("--requests takes only --table.");
    }
    return { listed: "tier-requests" };
  }
  if (!username) throw new UsageError("Name the account.");
  if (rest.length > 0) throw new UsageError(`Name one account: ${username} or ${rest.join(" or ")}.`);
  if (values["accept-request"] !== undefined || values["decline-request"] !== undefined) {
    return readDecision(values, username);
  }
  if (values.smoke) return readSmokeAccount(values, username);
  if (values.keys) return readKeys(values, username);
  return values.delete ? readDeletion(values, username) : readChange(values, username);
};

/** @throws UsageError when options are missing or do not go together. */
export const readArguments = (args: string[]): Wanted => {
  const { values, positionals } = parse(args);
  return { table: values.table, task: readTask(values, positionals) };
};
