import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { AccountAtEpoch } from "../../accounts/access/account.ts";
import {
  maxSessionSeconds,
  sessionDigest,
  sessionItemPrefix,
  sessionKeys,
} from "../../accounts/sessions/keys.ts";
import { daySeconds, hourSeconds } from "../../platform/durations.ts";
import { exists, type ItemKey, type Table } from "../../platform/storage/table.ts";

/** An unused session ends after this time. */
const idleSeconds = 7 * daySeconds;
/** The last use is written at most this often. */
const seenPrecisionSeconds = hourSeconds;

const maxUserAgentLength = 200;

/** What a person starts a session with, besides a code of the second factor. */
export const waysIn = ["password", "provider"] as const;

/** How a session started. */
export interface SessionStart {
  readonly with: (typeof waysIn)[number];
  /** Whether the person has also shown a code of the second factor. */
  readonly showedFactor: boolean;
  /** When the person last proved to be the owner without a password: Unix seconds. */
  readonly provedAt?: number | undefined;
}

/** A login with the password alone. */
export const withPassword: SessionStart = { with: "password", showedFactor: false };

const sessionItem = z.object({
  SK: z.string(),
  token_epoch: z.int(),
  /** All times are in Unix seconds. */
  created_at: z.int(),
  seen_at: z.int(),
  expires_at: z.int(),
  user_agent: z.string().optional(),
  forms_used: z.int().optional(),
  // Sessions of older versions do not say how they started: they count as started with the password alone.
  started_with: z.enum(waysIn).default("password"),
  showed_factor: z.boolean().default(false),
  proved_at: z.int().optional(),
});

/** A browser that is signed in. Times are in Unix seconds. */
export interface Session extends AccountAtEpoch {
  /** Identifies the session; does not grant access. */
  readonly id: string;
  readonly createdAt: number;
  /** The last use, to within an hour. */
  readonly seenAt: number;
  readonly userAgent: string | undefined;
  /** How many single-use forms were sent. */
  readonly formsUsed: number;
  readonly start: SessionStart;
}

export interface StartedSession {
  readonly session: Session;
  /** For the cookie. Not stored. */
  readonly secret: string;
}

const toSession = (userId: number, item: z.infer<typeof sessionItem>): Session => ({
  userId,
  tokenEpoch: item.token_epoch,
  id: item.SK.slice(sessionItemPrefix.length),
  createdAt: item.created_at,
  seenAt: item.seen_at,
  userAgent: item.user_agent,
  formsUsed: item.forms_used ?? 0,
  start: { with: item.started_with, showedFactor: item.showed_factor, provedAt: item.proved_at },
});

/** The account that a secret names. */
const ownerOf = (secret: string): number | undefined => {
  const [, digits] = /^([1-9]\d{0,14})\.[A-Za-z0-9_-]{43}$/.exec(secret) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

const endOf = (createdAt: number, seenAt: number): number =>
  Math.min(createdAt + maxSessionSeconds, seenAt + idleSeconds);

/** @returns whether the session still exists. */
const noteUse = async (table: Table, Key: ItemKey, createdAt: number, seenAt: number): Promise<boolean> => {
  const { applied } = await table.update({
    Key,
    UpdateExpression: "SET seen_at = :seen, expires_at = :end",
    ...exists,
    ExpressionAttributeValues: { ":seen": seenAt, ":end": endOf(createdAt, seenAt) },
  });
  return applied;
};

type SessionName = Pick<Session, "userId" | "id">;

/** @returns whether the count was `from`, and the session still exists. */
const countForms = async (
  table: Table,
  { userId, id }: SessionName,
  from: number,
  to: number,
): Promise<boolean> => {
  const { applied } = await table.update({
    Key: sessionKeys.session(userId, id),
    UpdateExpression: "SET forms_used = :to",
    ConditionExpression:
      from === 0
        ? "attribute_exists(PK) AND (attribute_not_exists(forms_used) OR forms_used = :from)"
        : "forms_used = :from",
    ExpressionAttributeValues: { ":from": from, ":to": to },
  });
  return applied;
};

export type SessionsRepository = ReturnType<typeof createSessionsRepository>;

/** Sessions in the service's table: access pattern S1 of this folder's README. */
export const createSessionsRepository = (table: Table, now: () => number = Date.now) => {
  const seconds = () => Math.floor(now() / 1_000);

  /** The active sessions of an account, the last used first. */
  const list = async ({ userId, tokenEpoch }: AccountAtEpoch): Promise<Session[]> => {
    const { PK, SK } = sessionKeys.session(userId, "");
    const items = await table.query({ partition: PK, beginsWith: SK });
    return z
      .array(sessionItem)
      .parse(items)
      .filter((item) => item.expires_at > seconds() && item.token_epoch === tokenEpoch)
      .map((item) => toSession(userId, item))
      .toSorted((one, other) => other.seenAt - one.seenAt || other.createdAt - one.createdAt);
  };

  return {
    /** Signs an account in. @param userAgent for the list of sessions. */
    begin: async (
      { userId, tokenEpoch }: AccountAtEpoch,
      start: SessionStart,
      userAgent: string | undefined,
    ): Promise<StartedSession> => {
      const secret = `${userId}.${randomBytes(32).toString("base64url")}`;
      const createdAt = seconds();
      const item = {
        ...sessionKeys.session(userId, sessionDigest(secret)),
        token_epoch: tokenEpoch,
        created_at: createdAt,
        seen_at: createdAt,
        expires_at: endOf(createdAt, createdAt),
        user_agent: userAgent?.slice(0, maxUserAgentLength),
        started_with: start.with,
        showed_factor: start.showedFactor,
        proved_at: start.provedAt,
      };
      await table.put(item);
      return { secret, session: toSession(userId, sessionItem.parse(item)) };
    },

    /** Finds a session and notes its use. The caller checks the account: its epoch, and whether it can sign in. */
    find: async (secret: string): Promise<Session | undefined> => {
      const userId = ownerOf(secret);
      if (userId === undefined) return undefined;
      const Key = sessionKeys.session(userId, sessionDigest(secret));
      const found = await table.read({ Key });
      if (!found) return undefined;
      const item = sessionItem.parse(found);
      // DynamoDB can take days to delete expired items.
      if (item.expires_at <= seconds()) return undefined;
      const isFresh = seconds() - item.seen_at < seenPrecisionSeconds;
      if (!isFresh && !(await noteUse(table, Key, item.created_at, seconds()))) return undefined;
      return toSession(userId, item);
    },

    list,

    /**
     * Counts a single-use form.
     *
     * @param formsUsed the count when the form was shown. Of two forms with the same count, such as a page and its reload, only
     * the first is accepted.
     * @returns whether it was the first.
     */
    useForm: (name: SessionName, formsUsed: number): Promise<boolean> =>
      countForms(table, name, formsUsed, formsUsed + 1),

    /** Takes a form off the count, because it failed. */
    releaseForm: async (session: SessionName, formsUsed: number): Promise<void> => {
      await countForms(table, session, formsUsed + 1, formsUsed);
    },

    /** Ends a session; one that has ended is no error. */
    end: (userId: number, id: string): Promise<void> => table.delete(sessionKeys.session(userId, id)),
  };
};
