import * as z from "zod";
import { accountType, oauthType } from "./account.ts";

/** An account as it is stored. */
export const accountItem = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  password_hash: z.string(),
  organization: z.string(),
  account_type: accountType,
  oauth_type: oauthType,
  full_name: z.string().optional(),
  organization_type: z.string().optional(),
  sector: z.array(z.string()).optional(),
  email_verified: z.boolean(),
  disabled: z.boolean(),
  /** Raised to revoke every token of the account at once: a token holds the value of the day it was issued. */
  token_epoch: z.int(),
  created_at: z.string(),
});
export type AccountItem = z.infer<typeof accountItem>;
