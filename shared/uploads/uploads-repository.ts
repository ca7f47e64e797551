import * as z from "zod";
import { noteOwned } from "../accounts/owned-items.ts";
import type { WritableItemTable } from "../storage/item-table.ts";
import { uploadKeys } from "./keys.ts";

const lifetimeSeconds = 24 * 60 * 60;

const uploadItem = z.object({
  object_key: z.string(),
  content_type: z.string(),
  user_id: z.int().optional(),
  /** Unix seconds. */
  expires_at: z.int(),
});

/** A file that somebody may have uploaded through a link. */
export interface Upload {
  /** Where the object store has it, if it was uploaded. */
  readonly objectKey: string;
  /** As declared by whoever asked for the link. */
  readonly contentType: string;
  /** The only account that may use it; `undefined` when the link was asked for without a token. */
  readonly userId: number | undefined;
}

/** Uploads in the table. */
export type UploadsRepository = ReturnType<typeof createUploadsRepository>;

/** The repository of uploads over the service's table; access pattern U1 of this folder's README. */
export const createUploadsRepository = (table: Pick<WritableItemTable, "put" | "read">) => ({
  /** Remembers an upload, also among what its account owns. */
  add: async (fileId: string, { objectKey, contentType, userId }: Upload): Promise<void> => {
    const item: z.output<typeof uploadItem> = {
      object_key: objectKey,
      content_type: contentType,
      ...(userId === undefined ? {} : { user_id: userId }),
      expires_at: Math.floor(Date.now() / 1_000) + lifetimeSeconds,
    };
    const key = uploadKeys.upload(fileId);
    const owned = { items: [key], objects: [objectKey], expiresAt: item.expires_at } as const;
    await Promise.all([
      userId === undefined ? undefined : noteOwned(table, userId, owned),
      table.put({ ...key, ...item }),
    ]);
  },

  /**
   * Finds the upload that an account may use.
   *
   * @returns `undefined` when it is unknown, too old or another account's.
   */
  find: async (fileId: string, userId: number): Promise<Upload | undefined> => {
    const item = await table.read({ Key: uploadKeys.upload(fileId) });
    if (!item) return undefined;
    const upload = uploadItem.parse(item);
    if (upload.expires_at * 1_000 <= Date.now()) return undefined;
    if (upload.user_id !== undefined && upload.user_id !== userId) return undefined;
    return { objectKey: upload.object_key, contentType: upload.content_type, userId: upload.user_id };
  },
});
