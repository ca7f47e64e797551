import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ItemKey, Table } from "../../platform/storage/table.ts";
import { accountKeys } from "../access/keys.ts";

/** What an account created and is found by a key that does not name the account. */
export interface OwnedThing {
  /** Its items, the one that names it first. */
  readonly items: readonly [ItemKey, ...ItemKey[]];
  /** The names of its objects in the store. */
  readonly objects: readonly string[];
  /** Unix seconds at which all of it expires. */
  readonly expiresAt: number;
}

const accountStatus = z.object({ deletion_began: z.string().optional() }).optional();

/**
 * What accounts created, by account, so that deleting one leaves nothing behind; access pattern O1 of the README in
 * `shared/accounts`.
 */
export const createOwnedItems = (table: Pick<Table, "delete" | "put" | "read">) => ({
  /** Records that something belongs to an account. Call it before storing the thing itself, or together with it. */
  note: (userId: number, { items, objects, expiresAt }: OwnedThing): Promise<void> =>
    table.put({ ...accountKeys.owned(userId, items[0].PK), items, objects, expires_at: expiresAt }),

  /** Deletes a record. */
  forget: (userId: number, name: ItemKey): Promise<void> => table.delete(accountKeys.owned(userId, name.PK)),

  /**
   * Call this after a thing that lasts is recorded and stored. A deletion first marks the account, and then reads the
   * records, so at least one of the two sees the other.
   *
   * @throws AppError `unauthenticated` when the account is gone, or its deletion has started.
   */
  requireAccount: async (userId: number): Promise<void> => {
    const access = accountStatus.parse(await table.read({ Key: accountKeys.access(userId) }));
    if (!access || access.deletion_began !== undefined) throw new AppError("unauthenticated");
  },
});
