import { randomBytes } from "node:crypto";
import * as z from "zod";
import { dayMilliseconds, daySeconds } from "../../platform/durations.ts";
import type { Item, Table, TableWrite } from "../../platform/storage/table.ts";
import { logger } from "../../platform/telemetry/logger.ts";
import { accountKeys } from "../access/keys.ts";
import { shortenedAddress } from "../limits/keys.ts";
import { monthOf } from "../limits/windows.ts";

/** As long as usage: what an operator did may be questioned together with a bill. */
export const auditDays = 400;

/** What operators do. */
export const operatorActs = [
  "change-tier",
  "accept-tier-request",
  "decline-tier-request",
  "disable",
  "enable",
  "allow-mail",
  "revoke-key",
  "revoke-keys",
  "delete-account",
  "remove-second-factor",
  "create-account",
  "forget-sender",
  "list-names",
  "export-usage",
  "cancel-job",
  "retry-job",
  "retry-message",
  "retry-callback",
] as const;
export type OperatorAct = (typeof operatorActs)[number];

/** Who acts: an account in the console, or a person who runs a command, by the name that their machine knows. */
export type Operator =
  | { readonly accountId: number; readonly sourceAddress: string }
  | { readonly command: string };

/** An act. Accounts are numbers: names would outlive their accounts here. */
export interface Act {
  readonly act: OperatorAct;
  /** The account that it changes. */
  readonly accountId?: number | undefined;
  /** A few words for people, such as `Free → Premium` or the id of a job; never personal data. */
  readonly detail?: string | undefined;
}

const auditItem = z.object({
  SK: z.string(),
  time: z.iso.datetime(),
  act: z.string(),
  by_account: z.int().optional(),
  by_command: z.string().optional(),
  from: z.string().optional(),
  account: z.int().optional(),
  detail: z.string().optional(),
});

/** An act that was recorded. */
export interface RecordedAct {
  /** Its position in the log. */
  readonly id: string;
  readonly time: string;
  /** One of {@link operatorActs}, or one that an earlier version recorded. */
  readonly act: string;
  readonly by: { readonly accountId: number } | { readonly command: string };
  /** The network that the request came from. */
  readonly from: string | undefined;
  readonly accountId: number | undefined;
  readonly detail: string | undefined;
}

const toRecordedAct = (item: Item): RecordedAct => {
  const { SK, time, act, by_account: accountId, by_command: command = "", ...others } = auditItem.parse(item);
  const by = accountId === undefined ? { command } : { accountId };
  return { id: SK, time, act, by, from: others.from, accountId: others.account, detail: others.detail };
};

const operatorFields = (operator: Operator) =>
  "command" in operator
    ? { by_command: operator.command }
    : { by_account: operator.accountId, from: shortenedAddress(operator.sourceAddress) };

/** The months of the log, the newest first. */
const monthsUntil = (first: string, now: number): string[] => {
  const oldest = monthOf(now - auditDays * dayMilliseconds);
  const months: string[] = [];
  for (let month = first; month >= oldest; ) {
    months.push(month);
    month = monthOf(Date.parse(`${month}-01`) - dayMilliseconds);
  }
  return months;
};

/** The record of what operators did. */
export type AuditLog = ReturnType<typeof createAuditLog>;

/** The audit log in the service's table; access pattern A13 of the README in `shared/accounts`. */
export const createAuditLog = (table: Pick<Table, "query" | "transact">, now: () => number = Date.now) => {
  /**
   * The write that records an act, for the transaction of the act itself. The console also logs the act, so that a record which was
   * overwritten can be noticed; what a command prints is for the person who runs it.
   */
  const recordOf = (operator: Operator, { act, accountId, detail }: Act): TableWrite => {
    if ("accountId" in operator) {
      logger.info("operator.acts", { act, by_account: operator.accountId, account_id: accountId, detail });
    }
    const time = new Date(now()).toISOString();
    return {
      put: {
        ...accountKeys.audit(time, randomBytes(6).toString("base64url")),
        time,
        act,
        ...operatorFields(operator),
        ...(accountId === undefined ? {} : { account: accountId }),
        ...(detail === undefined ? {} : { detail }),
        expires_at: Math.floor(now() / 1_000) + auditDays * daySeconds,
      },
    };
  };

  return {
    recordOf,

    /** Records an act that is no single write, before it starts. */
    record: async (operator: Operator, act: Act): Promise<void> => {
      await table.transact([recordOf(operator, act)]);
    },

    /** Returns acts, newest first. @param before only those that are older than the one with this id. */
    list: async (limit: number, before?: string): Promise<RecordedAct[]> => {
      const acts: RecordedAct[] = [];
      for (const month of monthsUntil(before?.slice(0, 7) ?? monthOf(now()), now())) {
        const { PK: partition } = accountKeys.audit(month, "");
        const after = before?.startsWith(month) ? { PK: partition, SK: before } : undefined;
        const items = await table.query({ partition, descending: true, limit: limit - acts.length, after });
        for (const item of items) acts.push(toRecordedAct(item));
        if (acts.length === limit) break;
      }
      return acts;
    },
  };
};
