import type * as z from "zod";
import type { AddressLimitClass } from "../../accounts/limits/policies.ts";
import type { Texts } from "../texts/languages.ts";
import type { Shell } from "../view/shell.ts";

/**
 * Who may see a page. `signed-in` redirects others to the login page, and back afterwards; so does `operators`, which refuses
 * accounts that are not of the type Admin.
 */
export type Audience = "everybody" | "signed-in" | "operators";

/** Names of files in `view/page-style/`, without extension. */
export type PageStyle = "account" | "admin" | "docs" | "home" | "playground" | "recordings" | "status";

/** Other origins that a page's scripts use. The content security policy allows no others. */
export type Reached = "storage" | "stream";

/** The declaration of a page: its path, its audience and its input. */
export interface Page<
  Query extends z.ZodType = z.ZodType,
  Form extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Who extends Audience = Audience,
> {
  /** Unique, camelCase. Logs and metrics have `<id>Page` for GET and `<id>Form` for POST. */
  readonly id: string;
  /** May have parameters, such as `/docs/{operation}`: see the visit's `path`. */
  readonly path: `/${string}`;
  readonly audience: Who;
  readonly title: (texts: Texts) => string;
  /** An invalid query is an error page: use `.catch` for what a person may mistype. */
  readonly query?: Query;
  /** The fields of its forms. A repeated field arrives as a list. */
  readonly form?: Form;
  /** The JSON that programs get instead, sent by `data(…)`. */
  readonly data?: Data;
  /** Limits for one IP address: by default `reading` for GET and `anonymous` for POST. */
  readonly limit?: { readonly shown?: AddressLimitClass; readonly sent?: AddressLimitClass };
  /** The page is the same for all visitors without a session, and may be cached this long. */
  readonly cacheSeconds?: number;
  /** It may show a secret, so it is never compressed: the compressed length would reveal guesses. */
  readonly confidential?: boolean;
  /** Names of files in `client/`, without extension. */
  readonly scripts?: readonly string[];
  /** Style sheets of `view/page-style/` that it needs besides the common one. */
  readonly styles?: readonly PageStyle[] | undefined;
  readonly reaches?: readonly Reached[];
  readonly usesMicrophone?: boolean;
  /** By default `console`. */
  readonly shell?: Shell;
}

/**
 * Declares a page. Types of its query, its form and its audience follow, for the code that `page` binds to it.
 *
 * @example
 * ```ts
 * export const tierPage = definePage({
 *   id: "tier", // `tierPage` and `tierForm` in logs and metrics
 *   path: "/console/tier",
 *   audience: "signed-in", // others log in first, and come back
 *   title: ({ tier }) => tier.title,
 *   form: z.object({ purpose: z.string().min(1) }),
 * });
 *
 * export const tierPages = ({ tierRequests }: TierDependencies): BoundPage[] => [
 *   page(tierPage, {
 *     show: (visit) => shown({ content: <Tier {...visit} /> }),
 *     submit: async ({ account, form }) => {
 *       await tierRequests.add(account, form);
 *       return redirect(`${tierPage.path}?done=sent`);
 *     },
 *   }),
 * ];
 * ```
 */
export const definePage = <
  Query extends z.ZodType = z.ZodUndefined,
  Form extends z.ZodType = z.ZodUndefined,
  Data extends z.ZodType = z.ZodUndefined,
  const Who extends Audience = Audience,
>(
  page: Page<Query, Form, Data, Who>,
): Page<Query, Form, Data, Who> => page;
