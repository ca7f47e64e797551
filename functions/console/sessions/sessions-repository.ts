import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { AccountAtEpoch } from "../../../shared/accounts/access/account.ts";
import { daySeconds, hourSeconds } from "../../../shared/platform/durations.ts";
import { exists, type ItemKey, type Table } from "../../../shared/platform/storage/table.ts";
import { sessionDigest, sessionItemPrefix, sessionKeys } from "./keys.ts";

/** A session ends after so long, however much it is used. */
export const maxSessionSeconds = 30 * daySeconds;
/** A session that nobody uses ends after so long. */
const idleSeconds = 7 * daySeconds;
/** So exactly it is known when a session was used last: more often its item is not written. */
const seenPrecisionSeconds = hourSeconds;

const maxUserAgentLength = 200;

const sessionItem = z.object({
  SK: z.string(),
  token_epoch: z.int(),
  /** Unix seconds, as all of them. */
  created_at: z.int(),
  seen_at: z.int(),
  expires_at: z.int(),
  user_agent: z.string().optional(),
  forms_used: z.int().optional(),
});

/** A browser in which somebody is signed in. Times are in Unix seconds. */
export interface Session extends AccountAtEpoch {
  /** Names it to its owner; opens nothing. */
  readonly id: string;
  readonly createdAt: number;
  /** When it was used last, give or take an hour. */
  readonly seenAt: number;
  readonly userAgent: string | undefined;
  /** How many forms were sent in it that may be sent once each. */
  readonly formsUsed: number;
}

/** A new session, with what the browser keeps of it. */
export interface StartedSession {
  readonly session: Session;
  /** For the cookie; stored nowhere. */
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
});

/** The account that a secret names: a look into its items is then enough. */
const ownerOf = (secret: string): number | undefined => {
  const [, digits] = /^([1-9]\d{0,14})\.[A-Za-z0-9_-]{43}$/.exec(secret) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** Sessions in the table. */
export type SessionsRepository = ReturnType<typeof createSessionsRepository>;

/** The repository of sessions over the service's table; access pattern S1 of this folder's README. */
export const createSessionsRepository = (table: Table, now: () => number = Date.now) => {
  const seconds = () => Math.floor(now() / 1_000);
  const endOf = (createdAt: number, seenAt: number) =>
    Math.min(createdAt + maxSessionSeconds, seenAt + idleSeconds);

  /** @returns whether the session is still there. */
  const noteUse = async (Key: ItemKey, createdAt: number): Promise<boolean> => {
    const seenAt = seconds();
    const { applied } = await table.update({
      Key,
      UpdateExpression: "SET seen_at = :seen, expires_at = :end",
      ...exists,
      ExpressionAttributeValues: { ":seen": seenAt, ":end": endOf(createdAt, seenAt) },
    });
    return applied;
  };

  /** @returns whether so many had been sent, and the session is still there. */
  const countForms = async (
    { userId, id }: Pick<Session, "userId" | "id">,
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

  /** The sessions of an account that have not come to their end, those used last first. */
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
    /** Signs an account in. @param userAgent what the browser says of itself, for the list of sessions. */
    begin: async (
      { userId, tokenEpoch }: AccountAtEpoch,
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
      };
      await table.put(item);
      return { secret, session: toSession(userId, sessionItem.parse(item)) };
    },

    /**
     * The session of a secret, and that it was used. Whether its account still has the epoch of its log-in, and may sign in, is
     * for whoever reads the account.
     */
    find: async (secret: string): Promise<Session | undefined> => {
      const userId = ownerOf(secret);
      if (userId === undefined) return undefined;
      const Key = sessionKeys.session(userId, sessionDigest(secret));
      const found = await table.read({ Key });
      if (!found) return undefined;
      const item = sessionItem.parse(found);
      // DynamoDB may take days to remove what has expired.
      if (item.expires_at <= seconds()) return undefined;
      const isFresh = seconds() - item.seen_at < seenPrecisionSeconds;
      if (!isFresh && !(await noteUse(Key, item.created_at))) return undefined;
      return toSession(userId, item);
    },

    list,

    /**
     * Notes that a form was sent which may be sent once.
     *
     * @param formsUsed how many had been before it, as the form itself says. Each page shows the number of its moment: of two
     * forms with the same number, such as a page and its reload, one is the first.
     * @returns whether it was the first.
     */
    useForm: ({ userId, id }: Pick<Session, "userId" | "id">, formsUsed: number): Promise<boolean> =>
      countForms({ userId, id }, formsUsed, formsUsed + 1),

    /** Takes back that a form was sent, because nothing came of it. */
    releaseForm: async (session: Pick<Session, "userId" | "id">, formsUsed: number): Promise<void> => {
      await countForms(session, formsUsed + 1, formsUsed);
    },

    /** Ends one session; one that is over already is no error. */
    end: (userId: number, id: string): Promise<void> => table.delete(sessionKeys.session(userId, id)),

    /** Ends every session of an account, but for one if that is to stay. */
    endAll: async (account: AccountAtEpoch, except?: Pick<Session, "id">): Promise<void> => {
      const ended = (await list(account)).filter(({ id }) => id !== except?.id);
      await table.deleteAll(ended.map(({ id }) => sessionKeys.session(account.userId, id)));
    },
  };
};
