import * as z from "zod";
import { definePage } from "../server/define-page.ts";

/** Redirects to a provider. */
export const beginLogInPage = definePage({
  id: "beginLogIn",
  path: "/console/log-in/{provider}",
  audience: "everybody",
  title: ({ navigation }) => navigation.logIn,
  query: z.object({ next: z.string().optional().catch(undefined) }),
  limit: { shown: "anonymous" },
});

/** The address that providers redirect to. */
export const endLogInPage = definePage({
  id: "endLogIn",
  path: "/console/log-in/{provider}/callback",
  audience: "everybody",
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
  title: ({ account }) => account.identities,
  form: z.object({}),
});
