import type * as z from "zod";
import type { AddressLimitClass } from "../../../shared/accounts/limits/policies.ts";
import type { Texts } from "../texts/en.ts";

/** Who may see a page: `signed-in` leads everybody else to the log-in, and back afterwards. */
export type Audience = "everybody" | "signed-in";

/** What a page's scripts reach beside the service itself; the content security policy allows nothing else. */
export type Reached = "storage" | "stream";

/** A page's declaration: the one place that states where it is, who sees it, and what it takes. */
export interface Page<
  Query extends z.ZodType = z.ZodType,
  Form extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Who extends Audience = Audience,
> {
  /** Unique, camelCase: names the page in logs and metrics, as `<id>Page` where it is shown and `<id>Form` where it is sent. */
  readonly id: string;
  /** May have parameters, such as `/docs/{operation}`; they are in the visit's `path`. */
  readonly path: `/${string}`;
  readonly audience: Who;
  readonly title: (texts: Texts) => string;
  /** What may stand in the address. What a person may have mistyped should have a `.catch`; the rest is an error page. */
  readonly query?: Query;
  /** What its forms send. Fields of text; one that is left out of a form with several of them is a list. */
  readonly form?: Form;
  /** What programs get in its place: `data(…)` leaves through this schema. */
  readonly data?: Data;
  /** How often one address may ask: by default as often as it likes to be shown, `anonymous` to send. */
  readonly limit?: { readonly shown?: AddressLimitClass; readonly sent?: AddressLimitClass };
  /** It is the same for everybody who is not signed in, and may be kept for so long. */
  readonly cacheSeconds?: number;
  /** It may show a secret, so that it is never packed: the length of what is packed tells of guesses. */
  readonly confidential?: boolean;
  /** Names of files in `client/` that run on it, without their ending. */
  readonly scripts?: readonly string[];
  readonly reaches?: readonly Reached[];
  readonly usesMicrophone?: boolean;
  readonly isWide?: boolean;
}

/** Declares a page of the console. */
export const definePage = <
  Query extends z.ZodType = z.ZodUndefined,
  Form extends z.ZodType = z.ZodUndefined,
  Data extends z.ZodType = z.ZodUndefined,
  const Who extends Audience = Audience,
>(
  page: Page<Query, Form, Data, Who>,
): Page<Query, Form, Data, Who> => page;
