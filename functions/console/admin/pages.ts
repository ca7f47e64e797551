import * as z from "zod";
import { accountTypes } from "../../../shared/accounts/access/account-access.ts";
import { givenPassword } from "../../../shared/accounts/sign-in/fields.ts";
import { optionalField, text } from "../../../shared/platform/validation/fields.ts";
import { definePage } from "../server/define-page.ts";

/** The outcome that a page shows after one of its forms. */
const done = <const Outcome extends string>(outcomes: readonly Outcome[]) =>
  z.enum(outcomes).optional().catch(undefined);

/** Where a page of a list starts. */
const position = optionalField(z.string().max(400)).catch(undefined);

const accountId = z.coerce.number().pipe(z.int().min(1));

export const accountsPage = definePage({
  id: "adminAccounts",
  path: "/console/admin",
  audience: "operators",
  title: ({ admin }) => admin.accounts,
  query: z.object({
    q: optionalField(text().trim().max(254)).catch(undefined),
    from: position,
    done: done(["deleted"]),
  }),
  styles: ["admin"],
});

/** The forms of an account that the operator confirms. One page shows one of them, because their fields have the same names. */
const confirmedActs = ["change-tier", "delete"] as const;

export const adminAccountPage = definePage({
  id: "adminAccount",
  path: "/console/admin/accounts/{id}",
  audience: "operators",
  title: ({ admin }) => admin.account,
  query: z.object({
    done: done(["tier", "disabled", "enabled", "mail", "keys"]),
    /** The form that is shown, of those that need a confirmation. */
    act: z.enum(confirmedActs).optional().catch(undefined),
  }),
  form: z.discriminatedUnion("action", [
    z.object({ action: z.literal("change-tier"), type: z.enum(accountTypes), password: givenPassword }),
    z.object({ action: z.literal("disable") }),
    z.object({ action: z.literal("enable") }),
    z.object({ action: z.literal("allow-mail") }),
    z.object({ action: z.literal("revoke-keys") }),
    z.object({
      action: z.literal("delete"),
      typed_username: z.string().trim().min(1).max(64),
      password: givenPassword,
    }),
  ]),
  styles: ["account", "admin"],
});

/** Parses the id in the address of an account's page. */
export const readAccountId = (id: string | undefined): number | undefined => accountId.safeParse(id).data;

export const auditPage = definePage({
  id: "adminAudit",
  path: "/console/admin/audit",
  audience: "operators",
  title: ({ admin }) => admin.audit,
  query: z.object({ from: position }),
  styles: ["admin"],
});
