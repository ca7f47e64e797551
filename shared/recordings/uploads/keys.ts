/** The prefix of the partition keys of uploads, which permissions use. */
export const uploadKeyPrefix = "UPLOAD#";

/** The key table of this folder's README in code. No other file contains a key. */
export const uploadKeys = {
  /** U1: an upload by its file id. */
  upload: (fileId: string) => ({ PK: `${uploadKeyPrefix}${fileId}`, SK: "UPLOAD" }),
};
