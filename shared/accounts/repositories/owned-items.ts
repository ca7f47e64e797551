import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import type { WritableItemTable } from "../../platform/storage/item-table.ts";
import { accountKeys, type ItemKey } from "../access/keys.ts";

/** What was made by an account and is found by a key that does not name it. */
export interface OwnedThing {
  /** Its items, the one that names it first. */
  readonly items: readonly [ItemKey, ...ItemKey[]];
  /** The names of its objects in the store. */
  readonly objects: readonly string[];
  /** Unix seconds. When all of it goes by itself. */
  readonly expiresAt: number;
}

const accountStatus = z.object({ deletion_began: z.string().optional() }).optional();

/** Notes that something is an account's. Comes before the thing itself, or with it. */
export const noteOwned = (
  table: Pick<WritableItemTable, "put">,
  userId: number,
  { items, objects, expiresAt }: OwnedThing,
): Promise<void> =>
  table.put({ ...accountKeys.owned(userId, items[0].PK), items, objects, expires_at: expiresAt });

/**
 * What accounts have made, by account, so that a deleted one leaves nothing behind; access pattern O1 of this folder's
 * README.
 */
export const createOwnedItems = (table: Pick<WritableItemTable, "delete" | "put" | "read">) => ({
  note: (userId: number, thing: OwnedThing): Promise<void> => noteOwned(table, userId, thing),

  /** Forgets a note. */
  forget: (userId: number, name: ItemKey): Promise<void> => table.delete(accountKeys.owned(userId, name.PK)),

  /**
   * Whoever keeps something for longer looks here after it is noted and kept. A deletion first says that it has begun,
   * and then looks for what is noted: of the two, at least one sees the other.
   *
   * @throws AppError `unauthenticated` when the account is gone, or its deletion has begun.
   */
  requireAccount: async (userId: number): Promise<void> => {
    const access = accountStatus.parse(await table.read({ Key: accountKeys.access(userId) }));
    if (!access || access.deletion_began !== undefined) throw new AppError("unauthenticated");
  },
});
