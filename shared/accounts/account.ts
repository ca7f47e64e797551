import * as z from "zod";

/** Tiers of an account; only an operator changes them. */
export const accountTypes = ["Free", "Premium", "Admin"] as const;
export const accountType = z.enum(accountTypes);
export type AccountType = z.infer<typeof accountType>;

/** How an account signs in: with a password here, or through an external identity provider. */
export const oauthType = z.enum(["Credentials", "IdentityProviderA", "IdentityProviderB"]);

/** An account as its owner sees it; a password is never part of it. */
export const account = z
  .object({
    id: z.int().meta({ example: 1 }),
    username: z.string().meta({ example: "amina" }),
    email: z.string().meta({ example: "amina@example.com" }),
    organization: z.string().meta({ example: "Makerere University" }),
    account_type: accountType,
    oauth_type: oauthType,
    full_name: z.string().nullable(),
    organization_type: z.string().nullable(),
    sector: z.array(z.string()).nullable(),
    email_verified: z.boolean(),
  })
  .meta({ id: "Account" });
export type Account = z.infer<typeof account>;
