import * as z from "zod";
import { givenPassword } from "../../../shared/accounts/sign-in/fields.ts";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { logInCodePath, secondFactorPath } from "../../../shared/pages/server/links.ts";

/** A code as people type it. */
const code = z.string().trim().min(1).max(64);

/** The page to continue with; `readNext` checks it when it is used. */
const next = z.string().optional().catch(undefined);

/** Missing for accounts without a password. */
const password = givenPassword.optional();

/** Sets up the second factor of an account, renews its recovery codes and turns it off. */
export const secondFactorPage = definePage({
  id: "secondFactor",
  path: secondFactorPath,
  audience: "signed-in",
  title: ({ secondFactor }) => secondFactor.title,
  query: z.object({ next, done: z.literal("expired").optional().catch(undefined) }),
  form: z.discriminatedUnion("action", [
    z.object({ action: z.literal("start"), password, next }),
    z.object({ action: z.literal("turn-on"), code, next }),
    z.object({ action: z.literal("renew"), code, next }),
    z.object({ action: z.literal("turn-off"), password, turn_off_code: code }),
  ]),
  styles: ["account"],
  // It shows the secret, and the recovery codes.
  confidential: true,
});

/** The second step of a login. */
export const codePage = definePage({
  id: "logInCode",
  path: logInCodePath,
  audience: "everybody",
  shell: "solo",
  title: ({ secondFactor }) => secondFactor.logInTitle,
  query: z.object({ next }),
  form: z.object({ code, next }),
  limit: { shown: "credentials", sent: "credentials" },
});
