/** Partition keys of uploads begin with it; permissions go by it. */
export const uploadKeyPrefix = "UPLOAD#";

/** The key table of this folder's README, in code. No other file spells a key. */
export const uploadKeys = {
  /** U1: an upload by its file id. */
  upload: (fileId: string) => ({ PK: `${uploadKeyPrefix}${fileId}`, SK: "UPLOAD" }),
};
