import { daySeconds } from "../../platform/durations.ts";
import type { ItemKey } from "../../platform/storage/table.ts";
import { accountKeys } from "../access/keys.ts";

/** The sort key of an account's export. */
export const exportItem = "EXPORT";

/** How long an export can be downloaded. */
export const exportLifetimeSeconds = 7 * daySeconds;

/** The keys of the account's last export. */
export const exportKeys = {
  /** E1: the state of the last export. It is stored and deleted with the account's other items. */
  state: (userId: number): ItemKey => ({ PK: accountKeys.profile(userId).PK, SK: exportItem }),
};
