import { createHash } from "node:crypto";
import { accountKeys } from "../../../shared/accounts/access/keys.ts";
import type { ItemKey } from "../../../shared/platform/storage/table.ts";

/** How the sort keys of sessions begin. They stand with their account's items, and end with them. */
export const sessionItemPrefix = "SESSION#";

/** What is kept of a session's secret: reading the table signs nobody in. */
export const sessionDigest = (secret: string): string =>
  createHash("sha256").update(secret).digest("base64url");

/** The key table of this folder's README, in code. */
export const sessionKeys = {
  /** S1: a session, by the digest of its secret. */
  session: (userId: number, digest: string): ItemKey => ({
    PK: accountKeys.profile(userId).PK,
    SK: `${sessionItemPrefix}${digest}`,
  }),
};
