import { createHash } from "node:crypto";
import { daySeconds } from "../../platform/durations.ts";
import type { ItemKey } from "../../platform/storage/table.ts";
import { accountKeys } from "../access/keys.ts";

/** The maximum lifetime of a session. */
export const maxSessionSeconds = 30 * daySeconds;

/** The prefix of the sort keys. Sessions are stored and deleted with their account's items. */
export const sessionItemPrefix = "SESSION#";

/** We store only a digest of the secret, so a reader of the table cannot sign in. */
export const sessionDigest = (secret: string): string =>
  createHash("sha256").update(secret).digest("base64url");

/** The key table of the README of `shared/pages/sessions` in code. */
export const sessionKeys = {
  /** S1: a session, by the digest of its secret. */
  session: (userId: number, digest: string): ItemKey => ({
    PK: accountKeys.profile(userId).PK,
    SK: `${sessionItemPrefix}${digest}`,
  }),
};
