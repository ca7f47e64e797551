import { type LocalApplication, sdkVariables } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import type { AccountAccess } from "../../shared/accounts/access/account.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openItemTable } from "../../shared/platform/storage/item-table.ts";

/** The account in whose name the sample events ask; registration never gets there. */
const sampleId = 999_999_999;

const sampleEvent = z.object({
  requestContext: z.object({ authorizer: z.object({ userId: z.literal(String(sampleId)) }) }),
});

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
  // "seven storks by the lake", as the sample of a change of the password says.
  password_hash:
    "$argon2id$v=19$m=19456,t=2,p=1$6TqbIiudDJ7EyATs0gxAAA$8YqsjnIftsFyCyZGjEvZgo8neSYf4ebwIHXEkIWoyPQ",
  organization: "Unknown",
  oauth_type: "Credentials",
  created_at: "2026-11-20T10:00:00.000Z",
};

/**
 * Lets the tokens of sample events stand, which nobody has issued: a function finds out by itself whether a token does.
 * What the sample before has done to the account, a new password for instance, is undone.
 */
export const admitSample = async (
  { model, standIns }: Pick<LocalApplication, "model" | "standIns">,
  event: unknown,
): Promise<void> => {
  const [table] = model.tables;
  if (!table || !sampleEvent.safeParse(event).success) return;
  const items = openItemTable(table.name, readAwsConfig(sdkVariables(standIns)));
  await items.put({ ...accountKeys.profile(sampleId), ...profile });
  await items.put({ ...accountKeys.access(sampleId), ...access, revoked: {} });
};
