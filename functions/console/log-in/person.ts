import * as z from "zod";

/** A person as the provider describes them. */
export interface PersonAtProvider {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string | undefined;
  readonly preferredUsername: string | undefined;
  /** When the person entered a password or the like there, if the provider says so: Unix seconds. */
  readonly loggedInAt?: number | undefined;
}

/** The claims of OpenID Connect that describe a person. */
export const personClaims = z.object({
  // As the provider spells it; settings may differ by a slash. The user info response does not have it.
  iss: z.string().optional(),
  sub: z.string(),
  email: z.email().max(254).optional().catch(undefined),
  // Some providers send a string.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().trim().min(1).max(200).optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
  auth_time: z.int().optional().catch(undefined),
});
