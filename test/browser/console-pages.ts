import { accountSections } from "../../functions/console/account/pages.ts";
import { attemptNames } from "../../functions/console/playground/attempts.ts";

/** A page that people see. */
export interface ConsolePage {
  readonly path: string;
  /** Redirects visitors without a session to the login. */
  readonly isPersonal?: boolean;
  /** Refuses accounts that are not of the type Admin. */
  readonly isOperators?: boolean;
  /** Where it is not 200. */
  readonly status?: number;
}

/** Every page of the console and of the documentation, of pages that there are many of one of each kind. */
export const consolePages: readonly ConsolePage[] = [
  { path: "/" },
  { path: "/console/sign-up" },
  { path: "/console/log-in" },
  { path: "/console/forgot-password" },
  { path: `/console/verify-email?token=${"x".repeat(43)}`, status: 400 },
  { path: `/console/revoke-keys?token=${"x".repeat(43)}`, status: 400 },
  { path: "/console/connect", status: 400 },
  { path: `/console/connect/link?token=${"x".repeat(43)}`, status: 400 },
  { path: `/reset-password?token=${"x".repeat(43)}`, status: 400 },
  { path: "/console/log-in/a/callback", status: 400 },
  { path: "/console/nothing", status: 404 },
  { path: "/no/such/page", status: 404 },
  ...attemptNames.map((name) => ({ path: `/console/playground?try=${name}` })),
  { path: "/console", isPersonal: true },
  { path: "/console/recordings", isPersonal: true },
  { path: "/console/playground/document", isPersonal: true },
  { path: "/console/tokens", isPersonal: true },
  { path: "/console/usage", isPersonal: true },
  ...accountSections.map((section) => ({ path: `/console/account?section=${section}`, isPersonal: true })),
  { path: "/console/account/second-factor", isPersonal: true },
  ...["", "/requests", "/usage", "/jobs", "/jobs?list=failed", "/deliveries", "/models", "/audit"].map(
    (page) => ({ path: `/console/admin${page}`, isPersonal: true, isOperators: true }),
  ),
  { path: "/console/tier", isPersonal: true },
  // One of each kind: `test/unit/console/site-pages.test.ts` renders all pages for everyone.
  ...[
    "/status",
    "/privacy",
    "/console/languages",
    "/quality",
    "/docs",
    "/docs/translate",
    "/docs/listJobs",
  ].map((path) => ({ path })),
  ...["search?q=voice", "guides/limits"].map((page) => ({ path: `/docs/${page}` })),
];
