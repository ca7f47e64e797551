import type { ByteSource } from "../outbound/byte-source.ts";

// Folders of the audio bucket; permissions and lifecycle rules use them.

/** Files that callers upload. They disappear after a day. */
export const uploadsFolder = "uploads/";

/** Where long recordings of people on the messaging platform were; now they are in the folders of their jobs. */
export const voiceNotesFolder = `${uploadsFolder}messaging/`;

/** The maximum size of an upload with a declared size. */
export const maxUploadBytes = 500 * 1024 * 1024;

/** The size of all parts of an upload except the last: S3's minimum, to lose little with a connection. */
export const partBytes = 5 * 1024 * 1024;

/** The maximum size of an upload without a declared size: its link accepts any (specification, Limits). */
export const maxUndeclaredBytes = 100 * 1024 * 1024;

/** Speech that was synthesised, by day and account: `speech/2026-11-20/7/<32 hex digits>.wav`. */
export const speechFolder = "speech/";

/** The prefix of an account's speech of one day (UTC). */
export const speechFolderOf = (userId: number, day: Date): string =>
  `${speechFolder}${day.toISOString().slice(0, 10)}/${userId}/`;

/**
 * The audio of saved transcriptions: `transcriptions/<32 hex digits>.mp3`. Callers see these names, so they contain
 * nothing about the account.
 */
export const transcriptionsFolder = "transcriptions/";

/** Stored responses that are too large for the table, sealed: `answers/7/<32 hex digits>`. */
export const responsesFolder = "answers/";

export const responsesFolderOf = (userId: number): string => `${responsesFolder}${userId}/`;

/** What belongs to jobs: their recordings, plans, transcripts of pieces and whole ones, `jobs/7/<job id>/result.json`. */
export const jobsFolder = "jobs/";

export const jobsFolderOf = (userId: number): string => `${jobsFolder}${userId}/`;

/** The exports of accounts: `exports/7/<id>.zip`. */
export const exportsFolder = "exports/";

export const exportsFolderOf = (userId: number): string => `${exportsFolder}${userId}/`;

/** How long saved transcriptions and their audio are stored. */
export const transcriptionsLifetimeDays = 30;

/** How long a signed link works, in seconds (specification, Limits). */
export const linkLifetimeSeconds = 30 * 60;

/** A link that works without any other credentials, until it expires. */
export interface SignedLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Facts about a stored object, without reading it. */
export interface StoredObject {
  /** In bytes. */
  readonly size: number;
  readonly contentType: string | undefined;
}

/** An object, as a list of objects describes it. */
export interface ListedObject {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** An object that is read piece by piece, in any order; it need not fit into memory. */
export interface ObjectRanges extends ByteSource {
  /** Changes with the bytes; undefined when the store has none. */
  readonly version?: string | undefined;
}

export interface ObjectWriter {
  /** Accepts more bytes, at the store's pace. They must not be changed afterwards. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Stores what was written; only now it becomes visible.
   *
   * @param start replaces as many bytes at the object's start, for headers with a length that was unknown before.
   */
  complete(start?: Uint8Array): Promise<void>;
  /** Removes what was written, unless the object is already stored. Never fails. */
  abort(): Promise<void>;
}

export interface ObjectPart {
  /** From 1, in the order of the bytes. */
  readonly number: number;
  /** In bytes. */
  readonly size: number;
}

export interface StoredPart extends ObjectPart {
  /** Of its bytes. */
  readonly tag: string;
}

/** Objects that a client uploads part by part. Every method throws as {@link ObjectStore} does. */
export interface ObjectParts {
  /** @returns what the upload is called, together with the key. */
  begin(key: string, options: { readonly contentType: string }): Promise<string>;
  /** The parts that have arrived, by number; `undefined` when the upload no longer exists. */
  list(key: string, uploadId: string): Promise<readonly StoredPart[] | undefined>;
  /** Joins the parts. @returns whether the upload existed: not when it is already completed. */
  complete(
    key: string,
    uploadId: string,
    parts: readonly Pick<StoredPart, "number" | "tag">[],
  ): Promise<boolean>;
  /** Aborts the upload; a finished one is no error. The store does it after a day. */
  abort(key: string, uploadId: string): Promise<void>;
}

/** Links to objects. To create one sends nothing; each throws AppError `storage_unavailable` if it cannot be signed. */
export interface ObjectLinks {
  /**
   * A link that takes a `PUT` of a body of exactly this content type.
   *
   * @param options.size in bytes: no other length is taken then. Without it any length is.
   */
  signUpload(
    key: string,
    options: { readonly contentType: string; readonly size?: number | undefined },
  ): Promise<SignedLink>;
  /** A link that takes a `PUT` of a part of exactly this size, as often as it is sent. */
  signPart(key: string, uploadId: string, part: ObjectPart): Promise<SignedLink>;
  /** A link to the object, without checking that it exists; it returns 404 if not. */
  signDownload(
    key: string,
    options: { readonly contentType: string; readonly fileName: string },
  ): Promise<SignedLink>;
}

/**
 * Where audio files are stored. Every method throws AppError `storage_unavailable` when the store fails, and
 * `service_unavailable` when it is silent for too long; none waits for ever.
 */
export interface ObjectStore {
  /** `undefined` when there is no such object. */
  describe(key: string): Promise<StoredObject | undefined>;
  /** Opens an object as it is now; should it be replaced, reading fails. `undefined` when there is none. */
  open(key: string): Promise<ObjectRanges | undefined>;
  /** Reads a whole object, for as long as that takes. Throws when the store is silent for too long. */
  stream(key: string, options: { readonly signal: AbortSignal }): AsyncIterable<Uint8Array>;
  put(key: string, body: Uint8Array, options: { readonly contentType: string }): Promise<void>;
  /**
   * Copies an object within the store, for as long as that takes.
   *
   * @param source an object and its version.
   * @throws AppError `storage_unavailable` too when the object was replaced or deleted in the meantime.
   */
  copy(source: { readonly key: string; readonly version: string }, key: string): Promise<void>;
  /** Stores an object whose length is not known in advance, in flat memory. */
  write(key: string, options: { readonly contentType: string }): ObjectWriter;
  /** All objects with names that begin with a prefix. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes an object; a missing one is no error. */
  delete(key: string): Promise<void>;
}

/** Objects and the links to them. */
export type LinkedObjectStore = ObjectStore & ObjectLinks;
