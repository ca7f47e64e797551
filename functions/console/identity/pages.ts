import * as z from "zod";
import { givenPassword, linkToken } from "../../../shared/accounts/sign-in/fields.ts";
import { definePage } from "../../../shared/pages/server/define-page.ts";

/** Redirects to a provider. */
export const beginLogInPage = definePage({
  id: "beginLogIn",
  path: "/console/log-in/{provider}",
  audience: "everybody",
  shell: "solo",
  title: ({ navigation }) => navigation.logIn,
  query: z.object({
    next: z.string().optional().catch(undefined),
    /** The person must log in there, even with a session. */
    fresh: z.literal("yes").optional().catch(undefined),
  }),
  limit: { shown: "anonymous" },
});

/** The address that providers redirect to. */
export const endLogInPage = definePage({
  id: "endLogIn",
  path: "/console/log-in/{provider}/callback",
  audience: "everybody",
  shell: "solo",
  title: ({ navigation }) => navigation.logIn,
  // Providers may add parameters of their own.
  query: z.record(z.string(), z.string()),
  limit: { shown: "credentials" },
  confidential: true,
});

/** Adds a provider to the signed-in account. */
export const joinIdentityPage = definePage({
  id: "joinIdentity",
  path: "/console/account/identities/{provider}",
  audience: "signed-in",
  shell: "solo",
  title: ({ account }) => account.identities,
  form: z.object({ password: givenPassword.optional() }),
});

/** Asks a person who came from a provider to prove the account with the same address. */
export const connectPage = definePage({
  id: "connectIdentity",
  path: "/console/connect",
  audience: "everybody",
  shell: "solo",
  title: ({ connect }) => connect.title,
  form: z.discriminatedUnion("action", [
    z.object({ action: z.literal("password"), password: givenPassword }),
    z.object({ action: z.literal("signed-in"), password: givenPassword.optional() }),
    z.object({ action: z.literal("mail") }),
  ]),
  limit: { shown: "credentials", sent: "credentials" },
});

/** The same by a mailed link. */
export const connectByLinkPage = definePage({
  id: "connectIdentityByLink",
  path: "/console/connect/link",
  audience: "everybody",
  shell: "solo",
  title: ({ connect }) => connect.title,
  query: z.object({ token: linkToken.optional().catch(undefined) }),
  form: z.object({ token: linkToken, code: z.string().trim().min(1).max(64).optional() }),
  limit: { shown: "credentials", sent: "credentials" },
  confidential: true,
});
