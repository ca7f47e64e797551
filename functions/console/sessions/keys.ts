import { createHash } from "node:crypto";
import { accountKeys } from "../../../shared/accounts/access/keys.ts";
import type { ItemKey } from "../../../shared/platform/storage/table.ts";

/** The prefix of the sort keys. Sessions are stored and deleted with their account's items. */
export const sessionItemPrefix = "SESSION#";

/** We store only a digest of the secret, so a reader of the table cannot sign in. */
export const sessionDigest = (secret: string): string =>
  createHash("sha256").update(secret).digest("base64url");

/** The keys of this folder's README. */
export const sessionKeys = {
  /** S1: a session, by the digest of its secret. */
  session: (userId: number, digest: string): ItemKey => ({
    PK: accountKeys.profile(userId).PK,
    SK: `${sessionItemPrefix}${digest}`,
  }),
};
