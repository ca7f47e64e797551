import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import type { Item, Table } from "../../platform/storage/table.ts";
import { accountKeys } from "../access/keys.ts";
import { requestKeys } from "./keys.ts";

/** How long an account sees its requests. */
export const requestLogDays = 30;

/** What a request has used; all figures are absent when it used nothing. */
const used = z.object({
  characters: z.int().optional(),
  promptTokens: z.int().optional(),
  completionTokens: z.int().optional(),
  audioMilliseconds: z.int().optional(),
});

/** A request as its account sees it: never what was sent or returned. */
export const loggedRequest = z.object({
  /** When it ended. */
  at: z.iso.datetime(),
  /** The `X-Request-Id` of its response. */
  id: z.string(),
  /** The id of its operation. */
  operation: z.string(),
  status: z.int(),
  /** The code of its error. */
  code: z.string().optional(),
  milliseconds: z.number(),
  used: used.optional(),
  /** The id of its key; absent for tokens. */
  key: z.string().optional(),
});
export type LoggedRequest = z.infer<typeof loggedRequest>;

/** A request with the account that sent it. */
export interface SentRequest {
  readonly userId: number;
  readonly request: LoggedRequest;
}

const deletion = z.object({ deletion_began: z.string().optional() }).optional();

/** Requests of accounts in the table. */
export type RequestLog = ReturnType<typeof createRequestLog>;

/** Opens the log of requests; access patterns R1 and R2 of this folder's README. */
export const createRequestLog = (table: Pick<Table, "putAll" | "query" | "read">) => {
  /** The access item of an account; `undefined` for a deleted one. The lines of its last requests come afterwards. */
  const findAccess = async (userId: number): Promise<Item | undefined> => {
    const access = await table.read({ Key: accountKeys.access(userId) });
    return deletion.parse(access)?.deletion_began === undefined ? access : undefined;
  };
  return {
    /**
     * Stores requests, except those of deleted accounts. Repeating it changes nothing.
     *
     * @returns the access items of the accounts.
     */
    add: async (requests: readonly SentRequest[]): Promise<ReadonlyMap<number, Item>> => {
      const accounts = [...Map.groupBy(requests, ({ userId }) => userId)];
      const stored = await Promise.all(
        accounts.map(async ([userId, own]) => ({ userId, own, access: await findAccess(userId) })),
      );
      const known = stored.flatMap(({ userId, own, access }) => (access ? [{ userId, own, access }] : []));
      const items = known
        .flatMap(({ own }) => own)
        .flatMap(({ userId, request }) => {
          const { at, id } = request;
          const expires_at = Math.floor(Date.parse(at) / 1_000) + requestLogDays * daySeconds;
          return [requestKeys.byTime(userId, at, id), requestKeys.byId(userId, at, id)].map((key) => ({
            ...key,
            ...request,
            expires_at,
          }));
        });
      // DynamoDB refuses a batch that names an item twice.
      await table.putAll([...new Map(items.map((item) => [`${item.PK} ${item.SK}`, item])).values()]);
      return new Map(known.map(({ userId, access }) => [userId, access]));
    },

    /** Lists the requests of an account, newest first. @param before only requests older than this one. */
    list: async (
      userId: number,
      limit: number,
      before?: Pick<LoggedRequest, "at" | "id">,
    ): Promise<LoggedRequest[]> => {
      const items = await table.query({
        partition: requestKeys.ofAccount(userId),
        beginsWith: requestKeys.times,
        descending: true,
        limit,
        after: before && requestKeys.byTime(userId, before.at, before.id),
      });
      return items.map((item) => loggedRequest.parse(item));
    },

    /** Finds the requests of an account with an id, newest first: several when its client repeated one. */
    find: async (userId: number, id: string, limit: number): Promise<LoggedRequest[]> => {
      const items = await table.query({
        partition: requestKeys.ofAccount(userId),
        beginsWith: requestKeys.ids(id),
        descending: true,
        limit,
      });
      return items.map((item) => loggedRequest.parse(item));
    },
  };
};
