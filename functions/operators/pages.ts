import * as z from "zod";
import { accountTypes } from "../../shared/accounts/access/account-access.ts";
import { tierDecisions } from "../../shared/accounts/mail/mail-request.ts";
import { givenPassword } from "../../shared/accounts/sign-in/fields.ts";
import { definePage } from "../../shared/pages/server/define-page.ts";
import { optionalField, text } from "../../shared/platform/validation/fields.ts";

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
  styles: ["account", "admin"],
});

/** The forms of an account that the operator confirms. One page shows one of them, because their fields have the same names. */
const confirmedActs = ["change-tier", "decide", "delete"] as const;

export const adminAccountPage = definePage({
  id: "adminAccount",
  path: "/console/admin/accounts/{id}",
  audience: "operators",
  title: ({ admin }) => admin.account,
  query: z.object({
    done: done(["tier", "decided", "not-open", "disabled", "enabled", "mail", "keys"]),
    /** The form that is shown, of those that need a confirmation. */
    act: z.enum(confirmedActs).optional().catch(undefined),
  }),
  form: z.discriminatedUnion("action", [
    z.object({
      action: z.literal("change-tier"),
      type: z.enum(accountTypes),
      password: givenPassword.optional(),
    }),
    z.object({
      action: z.literal("decide"),
      decision: z.enum(tierDecisions),
      note: text().trim().max(2_000).default(""),
      password: givenPassword.optional(),
    }),
    z.object({ action: z.literal("disable") }),
    z.object({ action: z.literal("enable") }),
    z.object({ action: z.literal("allow-mail") }),
    z.object({ action: z.literal("revoke-keys") }),
    z.object({
      action: z.literal("delete"),
      typed_username: z.string().trim().min(1).max(64),
      password: givenPassword.optional(),
    }),
  ]),
  styles: ["account", "admin"],
});

/** Parses the id in the address of an account's page. */
export const readAccountId = (id: string | undefined): number | undefined => accountId.safeParse(id).data;

export const adminRequestsPage = definePage({
  id: "adminRequests",
  path: "/console/admin/requests",
  audience: "operators",
  title: ({ admin }) => admin.requests,
  styles: ["admin"],
});

export const auditPage = definePage({
  id: "adminAudit",
  path: "/console/admin/audit",
  audience: "operators",
  title: ({ admin }) => admin.audit,
  query: z.object({ from: position }),
  styles: ["admin"],
});

/** The lists of jobs, in the order of their tabs. */
export const jobLists = ["open", "failed"] as const;

export const adminJobsPage = definePage({
  id: "adminJobs",
  path: "/console/admin/jobs",
  audience: "operators",
  title: ({ admin }) => admin.jobs,
  query: z.object({
    list: z.enum(jobLists).default("open").catch("open"),
    from: position,
    done: done(["cancelled", "not-cancelled", "retried"]),
  }),
  form: z.object({
    action: z.enum(["cancel", "retry"]),
    user_id: accountId,
    job_id: z.string().min(1).max(64),
  }),
  styles: ["account", "admin"],
});

/** The queues whose messages may be given up. The assistant's has a worker that apologises. */
export const deadLetterQueues = ["mail", "callbacks", "jobs"] as const;

export const adminDeliveriesPage = definePage({
  id: "adminDeliveries",
  path: "/console/admin/deliveries",
  audience: "operators",
  title: ({ admin }) => admin.deliveries,
  query: z.object({
    from: position,
    done: done(["message-retried", "message-gone", "callback-retried"]),
  }),
  form: z.discriminatedUnion("action", [
    z.object({
      action: z.literal("retry-message"),
      queue: z.enum(deadLetterQueues),
      message: z.string().min(1).max(100),
    }),
    z.object({
      action: z.literal("retry-callback"),
      user_id: accountId,
      job_id: z.string().min(1).max(64),
    }),
  ]),
  styles: ["account", "admin"],
});

const usageMonth = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/);

export const adminUsagePage = definePage({
  id: "adminUsage",
  path: "/console/admin/usage",
  audience: "operators",
  title: ({ admin }) => admin.usage,
  query: z.object({
    month: usageMonth.optional().catch(undefined),
    from: accountId.optional().catch(undefined),
  }),
  form: z.object({
    action: z.literal("export"),
    month: usageMonth,
    from: z.preprocess((sent) => sent || undefined, accountId.optional()),
    password: givenPassword.optional(),
  }),
  styles: ["account", "admin"],
});

export const adminModelsPage = definePage({
  id: "adminModels",
  path: "/console/admin/models",
  audience: "operators",
  title: ({ admin }) => admin.models,
  styles: ["admin"],
});
