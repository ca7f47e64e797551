import { type LocalApplication, sdkVariables } from "@language-ai/aws-stand-ins";
import type { AccountAccess } from "../../shared/accounts/access/account-access.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";

/** The account of the sample events. Registration never reaches this id. */
const sampleId = 999_999_999;

const access: AccountAccess = {
  account_type: "Free",
  disabled: false,
  token_epoch: 0,
  email_verified: false,
};

const profile = {
  id: sampleId,
  username: "sample",
  email: "sample@example.com",
  // "seven storks by the lake", as in the sample event that changes the password.
  password_hash:
    "$argon2id$v=19$m=19456,t=2,p=1$6TqbIiudDJ7EyATs0gxAAA$8YqsjnIftsFyCyZGjEvZgo8neSYf4ebwIHXEkIWoyPQ",
  organization: "Unknown",
  oauth_type: "Credentials",
  created_at: "2026-11-20T10:00:00.000Z",
};

/**
 * Creates the account that a sample event names, in a token that the service did not issue or in a message of a queue. It also
 * resets the account, such as after a sample event that changed the password.
 */
export const admitSample = async (
  { model, standIns }: Pick<LocalApplication, "model" | "standIns">,
  event: unknown,
): Promise<void> => {
  const [table] = model.tables;
  if (!table || !JSON.stringify(event).includes(String(sampleId))) return;
  const items = openLightTable(table.name, readAwsConfig(sdkVariables(standIns)));
  await items.put({ ...accountKeys.profile(sampleId), ...profile });
  await items.put({ ...accountKeys.access(sampleId), ...access, revoked: {} });
};
