import * as z from "zod";
import { definePage } from "../server/define-page.ts";

/** Leads to a provider. */
export const beginLogInPage = definePage({
  id: "beginLogIn",
  path: "/console/log-in/{provider}",
  audience: "everybody",
  title: ({ logIn }) => logIn.title,
  query: z.object({ next: z.string().optional().catch(undefined) }),
  limit: { shown: "anonymous" },
});

/** Where a provider sends people back to. */
export const endLogInPage = definePage({
  id: "endLogIn",
  path: "/console/log-in/{provider}/callback",
  audience: "everybody",
  title: ({ logIn }) => logIn.title,
  // Whatever a provider may say beside what is looked at.
  query: z.record(z.string(), z.string()),
  limit: { shown: "credentials" },
  confidential: true,
});

/** Leads somebody who is signed in to a provider, so that they can log in through it from then on. */
export const joinIdentityPage = definePage({
  id: "joinIdentity",
  path: "/console/account/identities/{provider}",
  audience: "signed-in",
  title: ({ account }) => account.identities,
  form: z.object({}),
});
