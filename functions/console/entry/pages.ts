import * as z from "zod";
import { email, givenPassword, linkToken, tokenRequest } from "../../../shared/accounts/sign-in/fields.ts";
import { newPassword, registerRequest } from "../../../shared/accounts/sign-in/registration.ts";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { optionalField, text } from "../../../shared/platform/validation/fields.ts";

/** The page to continue with; `readNext` checks it when it is used. */
const next = z.string().optional().catch(undefined);

export const signUpPage = definePage({
  id: "signUp",
  path: "/console/sign-up",
  audience: "everybody",
  shell: "solo",
  title: ({ signUp }) => signUp.title,
  query: z.object({ next }),
  form: registerRequest.pick({ username: true, email: true, password: true }).extend({
    organization: optionalField(text().trim().max(200)),
    // The value of the box is the version that the page shows.
    accepted_terms: z
      .unknown()
      .transform(String)
      .refine((version) => /^[\w.-]{1,40}$/.test(version) && version !== "undefined", {
        params: { rule: "terms" },
      }),
    next,
  }),
  limit: { sent: "credentials" },
});

/** What the login page confirms. */
const afterWhat = ["deleted", "log-out", "reset", "proved", "keys-revoked", "connected", "too-late"] as const;
export type AfterWhat = (typeof afterWhat)[number];

export const logInPage = definePage({
  id: "logIn",
  path: "/console/log-in",
  audience: "everybody",
  shell: "solo",
  title: ({ navigation }) => navigation.logIn,
  query: z.object({
    next,
    after: z.enum(afterWhat).optional().catch(undefined),
  }),
  form: tokenRequest.pick({ username: true, password: true }).extend({ next }),
  limit: { sent: "credentials" },
});

export const logOutPage = definePage({
  id: "logOut",
  path: "/console/log-out",
  audience: "everybody",
  title: ({ navigation }) => navigation.logOut,
  form: z.object({}),
});

export const forgotPasswordPage = definePage({
  id: "forgotPassword",
  path: "/console/forgot-password",
  audience: "everybody",
  shell: "solo",
  title: ({ logIn }) => logIn.forgot,
  form: z.object({ email }),
  limit: { sent: "credentials" },
});

export const resetPasswordPage = definePage({
  id: "resetPassword",
  path: "/reset-password",
  audience: "everybody",
  shell: "solo",
  title: ({ reset }) => reset.title,
  query: z.object({ token: linkToken.optional().catch(undefined) }),
  form: z.object({ token: linkToken, new_password: newPassword }),
  limit: { shown: "credentials", sent: "credentials" },
  confidential: true,
});

export const verifyEmailPage = definePage({
  id: "verifyEmail",
  path: "/console/verify-email",
  audience: "everybody",
  shell: "solo",
  title: ({ verify }) => verify.title,
  query: z.object({ token: linkToken.optional().catch(undefined) }),
  form: z.discriminatedUnion("action", [
    z.object({ action: z.literal("verify"), token: linkToken }),
    z.object({ action: z.literal("verify-with-password"), token: linkToken, password: givenPassword }),
    z.object({ action: z.literal("disown"), token: linkToken }),
  ]),
  limit: { shown: "credentials", sent: "credentials" },
  confidential: true,
});

/** Lists the keys and identities that outlive a reset of the password, and ends them. */
export const revokeKeysPage = definePage({
  id: "revokeKeys",
  path: "/console/revoke-keys",
  audience: "everybody",
  shell: "solo",
  title: ({ reset }) => reset.keysTitle,
  query: z.object({ token: linkToken.optional().catch(undefined) }),
  form: z.discriminatedUnion("action", [
    z.object({ action: z.literal("revoke"), token: linkToken }),
    z.object({ action: z.literal("remove"), token: linkToken, identity: z.string().min(1).max(200) }),
  ]),
  limit: { shown: "credentials", sent: "credentials" },
  confidential: true,
});
