import * as z from "zod";
import { account } from "../../shared/accounts/account.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { text } from "../../shared/http/text.ts";
import { email, newPassword, shortText, username } from "./fields.ts";

const tag = "Accounts and tokens";

/** The values an organisation type can take when a profile is changed. */
export const organizationTypes = [
  "NGO",
  "Government",
  "Private Sector",
  "Research",
  "Individual",
  "Other",
] as const;

export const registerRequest = z
  .object({
    username,
    email,
    password: newPassword,
    organization: shortText.nullish().meta({ example: "Makerere University" }),
    full_name: shortText.nullish(),
    organization_type: shortText.nullish(),
    sector: z.array(shortText).max(50).nullish(),
  })
  .meta({ id: "RegisterRequest" });
export type RegisterRequest = z.infer<typeof registerRequest>;

export const registerOperation = defineOperation({
  id: "register",
  method: "POST",
  path: "/auth/register",
  summary: "Create an account",
  description: "The account works at once; a mail with a verification link is sent to its address.",
  tag,
  auth: "public",
  limit: "credentials",
  body: { encoding: "json", schema: registerRequest },
  response: { status: 201, description: "The new account", schema: account },
  errors: ["username_taken", "email_taken"],
  confidential: true,
});

export const meOperation = defineOperation({
  id: "getAccount",
  method: "GET",
  path: "/auth/me",
  summary: "The caller's account",
  tag,
  auth: "user",
  limit: "account",
  response: { status: 200, description: "The account", schema: account },
  errors: [],
  confidential: true,
});

export const profileRequest = z
  .object({
    full_name: shortText.nullish(),
    organization: shortText.nullish(),
    organization_type: text()
      .nullish()
      .meta({ description: `One of ${organizationTypes.join(", ")}` }),
    sector: z.array(text().max(200)).max(50).nullish(),
  })
  .meta({ id: "ProfileRequest" });
export type ProfileRequest = z.infer<typeof profileRequest>;

export const profileOperation = defineOperation({
  id: "updateProfile",
  method: "PUT",
  path: "/auth/profile",
  summary: "Change the caller's profile",
  description: "Absent and null members leave a field as it is.",
  tag,
  auth: "user",
  limit: "account",
  body: { encoding: "json", schema: profileRequest },
  response: { status: 200, description: "The changed account", schema: account },
  errors: ["bad_request"],
  confidential: true,
});

export const profileStatus = z
  .object({
    is_complete: z.boolean(),
    missing_fields: z.array(z.enum(["full_name", "organization", "organization_type", "sector"])),
  })
  .meta({ id: "ProfileStatus" });
export type ProfileStatus = z.infer<typeof profileStatus>;

export const profileStatusOperation = defineOperation({
  id: "getProfileStatus",
  method: "GET",
  path: "/auth/profile/status",
  summary: "Which fields of the profile are still empty",
  tag,
  auth: "user",
  limit: "account",
  response: { status: 200, description: "Completeness of the profile", schema: profileStatus },
  errors: [],
  confidential: true,
});
