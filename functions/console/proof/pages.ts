import * as z from "zod";
import { linkToken } from "../../../shared/accounts/sign-in/fields.ts";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { confirmOwnerPath } from "../../../shared/pages/server/links.ts";

/** Where an owner without a password and a second factor logs in again, or requests a mailed link. */
export const confirmPage = definePage({
  id: "confirmOwner",
  path: confirmOwnerPath,
  audience: "signed-in",
  shell: "solo",
  title: ({ proof }) => proof.title,
  query: z.object({ next: z.string().optional().catch(undefined) }),
  form: z.object({}),
});

/** The page behind the mailed link. */
export const confirmByLinkPage = definePage({
  id: "confirmOwnerByLink",
  path: `${confirmOwnerPath}/link`,
  audience: "signed-in",
  shell: "solo",
  title: ({ proof }) => proof.title,
  query: z.object({ token: linkToken.optional().catch(undefined) }),
  form: z.object({ token: linkToken }),
  confidential: true,
});
