import { mkdirSync } from "node:fs";

import { BodyFiles } from "./body-files.ts";
import { BucketStore } from "./bucket-store.ts";
import { openDatabase } from "./database.ts";
import { ObjectStore } from "./object-store.ts";
import { UploadStore } from "./upload-store.ts";

export interface Storage {
  readonly bodies: BodyFiles;
  readonly buckets: BucketStore;
  readonly objects: ObjectStore;
  readonly uploads: UploadStore;
  close(): void;
}

/**
 * Opens everything kept in a data directory, made if need be, and removes what a crash left unfinished.
 *
 * @throws when another process has the directory open.
 */
export const openStorage = (dataDirectory: string): Storage => {
  mkdirSync(dataDirectory, { recursive: true });
  const database = openDatabase(dataDirectory);
  const bodies = new BodyFiles(dataDirectory, database);
  return {
    bodies,
    buckets: new BucketStore(database),
    objects: new ObjectStore(database, bodies),
    uploads: new UploadStore(database, bodies),
    close: () => database.close(),
  };
};
