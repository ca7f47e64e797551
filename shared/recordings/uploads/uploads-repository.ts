import * as z from "zod";
import { createOwnedItems } from "../../accounts/repositories/owned-items.ts";
import { daySeconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
import { uploadKeys } from "./keys.ts";

/** How long an upload is valid. */
export const uploadLifetimeSeconds = daySeconds;

const uploadItem = z.object({
  object_key: z.string(),
  content_type: z.string(),
  user_id: z.int().optional(),
  /** The declared size in bytes. */
  size: z.int().optional(),
  /** The object store's id of an upload in parts. */
  multipart_id: z.string().optional(),
  /** Unix seconds. */
  expires_at: z.int(),
});

/** A file that may have been uploaded through a link. */
export interface Upload {
  readonly objectKey: string;
  /** As declared with the link. */
  readonly contentType: string;
  /** The only account that can use the file; `undefined` for a link that was created without a token. */
  readonly userId: number | undefined;
  /** In bytes, as declared; `undefined` for a link without a size. */
  readonly size?: number | undefined;
}

/** An upload in parts. */
export interface PartedUpload extends Upload {
  readonly userId: number;
  readonly size: number;
  /** The object store's id until the upload is completed. */
  readonly multipartId: string;
}

type UploadTable = Pick<Table, "delete" | "put" | "read">;

const findItem = async (table: UploadTable, fileId: string, userId: number) => {
  const item = await table.read({ Key: uploadKeys.upload(fileId) });
  if (!item) return undefined;
  const upload = uploadItem.parse(item);
  if (upload.expires_at * 1_000 <= Date.now()) return undefined;
  return upload.user_id !== undefined && upload.user_id !== userId ? undefined : upload;
};

/**
 * Stores an upload, and notes it among what its account owns.
 *
 * @returns when it expires.
 * @throws AppError `unauthenticated` when the account is gone, or its deletion has started; then nothing stays.
 */
const store = async (
  table: UploadTable,
  fileId: string,
  { objectKey, contentType, userId, size, multipartId }: Upload & { readonly multipartId?: string },
): Promise<Date> => {
  const item: z.output<typeof uploadItem> = {
    object_key: objectKey,
    content_type: contentType,
    ...(userId === undefined ? {} : { user_id: userId }),
    ...(size === undefined ? {} : { size }),
    ...(multipartId === undefined ? {} : { multipart_id: multipartId }),
    expires_at: Math.floor(Date.now() / 1_000) + uploadLifetimeSeconds,
  };
  const key = uploadKeys.upload(fileId);
  const owned = { items: [key], objects: [objectKey], expiresAt: item.expires_at } as const;
  const ownedItems = createOwnedItems(table);
  await Promise.all([
    userId === undefined ? undefined : ownedItems.note(userId, owned),
    table.put({ ...key, ...item }),
  ]);
  try {
    if (userId !== undefined) await ownedItems.requireAccount(userId);
  } catch (error) {
    await Promise.all([table.delete(key), userId !== undefined && ownedItems.forget(userId, key)]);
    throw error;
  }
  return new Date(item.expires_at * 1_000);
};

/** Uploads in the table. */
export type UploadsRepository = ReturnType<typeof createUploadsRepository>;

/** Creates the repository of uploads; access pattern U1 of this folder's README. */
export const createUploadsRepository = (table: UploadTable) => ({
  add: async (fileId: string, upload: Upload): Promise<void> => {
    await store(table, fileId, upload);
  },

  /** @returns when the upload expires. */
  addParted: (fileId: string, upload: PartedUpload): Promise<Date> => store(table, fileId, upload),

  /** Returns `undefined` for uploads that are unknown, expired or of another account. */
  find: async (fileId: string, userId: number): Promise<Upload | undefined> => {
    const item = await findItem(table, fileId, userId);
    return (
      item && {
        objectKey: item.object_key,
        contentType: item.content_type,
        userId: item.user_id,
        size: item.size,
      }
    );
  },

  /** The same for uploads in parts only. */
  findParted: async (
    fileId: string,
    userId: number,
  ): Promise<(PartedUpload & { readonly expiresAt: Date }) | undefined> => {
    const item = await findItem(table, fileId, userId);
    if (item?.size === undefined || item.multipart_id === undefined) return undefined;
    return {
      objectKey: item.object_key,
      contentType: item.content_type,
      userId,
      size: item.size,
      multipartId: item.multipart_id,
      expiresAt: new Date(item.expires_at * 1_000),
    };
  },

  remove: (fileId: string): Promise<void> => table.delete(uploadKeys.upload(fileId)),
});
