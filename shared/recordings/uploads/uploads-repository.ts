import * as z from "zod";
import { noteOwned } from "../../accounts/repositories/owned-items.ts";
import { daySeconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
import { uploadKeys } from "./keys.ts";

const lifetimeSeconds = daySeconds;

const uploadItem = z.object({
  object_key: z.string(),
  content_type: z.string(),
  user_id: z.int().optional(),
  /** Bytes that were declared. */
  size: z.int().optional(),
  /** What the object store calls the upload, where it is made in parts. */
  multipart_id: z.string().optional(),
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
  /** Its length in bytes, as declared; `undefined` when nobody said it. */
  readonly size?: number | undefined;
}

/** An upload that is made in parts, or was. */
export interface PartedUpload extends Upload {
  readonly userId: number;
  readonly size: number;
  /** What the object store calls it until it is completed. */
  readonly multipartId: string;
}

/** Uploads in the table. */
export type UploadsRepository = ReturnType<typeof createUploadsRepository>;

/** The repository of uploads over the service's table; access pattern U1 of this folder's README. */
export const createUploadsRepository = (table: Pick<Table, "delete" | "put" | "read">) => {
  /** The item of an upload that an account may use. */
  const findItem = async (fileId: string, userId: number) => {
    const item = await table.read({ Key: uploadKeys.upload(fileId) });
    if (!item) return undefined;
    const upload = uploadItem.parse(item);
    if (upload.expires_at * 1_000 <= Date.now()) return undefined;
    return upload.user_id !== undefined && upload.user_id !== userId ? undefined : upload;
  };

  /** Remembers an upload, also among what its account owns. @returns when it is forgotten. */
  const keep = async (
    fileId: string,
    { objectKey, contentType, userId, size }: Upload,
    multipartId?: string,
  ): Promise<Date> => {
    const item: z.output<typeof uploadItem> = {
      object_key: objectKey,
      content_type: contentType,
      ...(userId === undefined ? {} : { user_id: userId }),
      ...(size === undefined ? {} : { size }),
      ...(multipartId === undefined ? {} : { multipart_id: multipartId }),
      expires_at: Math.floor(Date.now() / 1_000) + lifetimeSeconds,
    };
    const key = uploadKeys.upload(fileId);
    const owned = { items: [key], objects: [objectKey], expiresAt: item.expires_at } as const;
    await Promise.all([
      userId === undefined ? undefined : noteOwned(table, userId, owned),
      table.put({ ...key, ...item }),
    ]);
    return new Date(item.expires_at * 1_000);
  };

  return {
    /** Remembers an upload, also among what its account owns. */
    add: async (fileId: string, upload: Upload): Promise<void> => {
      await keep(fileId, upload);
    },

    /** The same for one that is made in parts. @returns when it is forgotten. */
    addParted: (fileId: string, upload: PartedUpload): Promise<Date> =>
      keep(fileId, upload, upload.multipartId),

    /**
     * Finds the upload that an account may use.
     *
     * @returns `undefined` when it is unknown, too old or another account's.
     */
    find: async (fileId: string, userId: number): Promise<Upload | undefined> => {
      const item = await findItem(fileId, userId);
      return (
        item && {
          objectKey: item.object_key,
          contentType: item.content_type,
          userId: item.user_id,
          size: item.size,
        }
      );
    },

    /** The same for uploads in parts only; `undefined` for every other one. */
    findParted: async (
      fileId: string,
      userId: number,
    ): Promise<(PartedUpload & { readonly expiresAt: Date }) | undefined> => {
      const item = await findItem(fileId, userId);
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

    /** Forgets an upload. */
    remove: (fileId: string): Promise<void> => table.delete(uploadKeys.upload(fileId)),
  };
};
