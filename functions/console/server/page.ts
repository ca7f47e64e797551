import type * as z from "zod";
import type { Audience, Page } from "./define-page.ts";
import type { PageResponse } from "./responses.ts";
import type { Visit } from "./visit.ts";

type MaybeLater<Value> = Value | Promise<Value>;

/** A page with what it does. */
export interface BoundPage {
  readonly page: Page;
  readonly show: (visit: Visit) => MaybeLater<PageResponse>;
  readonly submit: ((visit: Visit & { readonly form: unknown }) => MaybeLater<PageResponse>) | undefined;
}

/**
 * Binds a page to what it does. A field that its form does not have, or somebody who may not be signed in, is a compile error.
 *
 * @param does.submit is called with a form that is valid. What it throws that the person can do something about, and what is
 * wrong with a form, is told by showing the page again.
 */
export const page = <
  Query extends z.ZodType,
  Form extends z.ZodType,
  Data extends z.ZodType,
  Who extends Audience,
>(
  declaration: Page<Query, Form, Data, Who>,
  does: {
    readonly show: (visit: Visit<z.output<Query>, Who>) => MaybeLater<PageResponse<z.input<Data>>>;
    readonly submit?: (
      visit: Visit<z.output<Query>, Who> & { readonly form: z.output<Form> },
    ) => MaybeLater<PageResponse<z.input<Data>>>;
  },
): BoundPage => {
  // Before a page is called, its query and its form are read with the declaration's schemas, and a page for accounts has one.
  // Neither can be expressed as control flow.
  const { show, submit } = does;
  return {
    page: declaration,
    show: (visit) => show(visit as Visit<z.output<Query>, Who>),
    submit:
      submit && ((visit) => submit(visit as Visit<z.output<Query>, Who> & { readonly form: z.output<Form> })),
  };
};
