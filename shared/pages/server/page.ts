import type * as z from "zod";
import type { Audience, Page } from "./define-page.ts";
import type { PageResponse } from "./responses.ts";
import type { Visit } from "./visit.ts";

type MaybeLater<Value> = Value | Promise<Value>;

export interface BoundPage {
  readonly page: Page;
  readonly show: (visit: Visit) => MaybeLater<PageResponse>;
  readonly submit: ((visit: Visit & { readonly form: unknown }) => MaybeLater<PageResponse>) | undefined;
}

/**
 * Binds a page to its code. Using a field that the form lacks, or an account that may be missing, is a compile error.
 *
 * @param does.submit receives a valid form. For an invalid form, or an error that the person can fix, the page is shown again.
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
  // `openVisit` and `submitForm` validate query and form by the declaration's schemas and check the audience, which types cannot
  // follow.
  const { show, submit } = does;
  return {
    page: declaration,
    show: (visit) => show(visit as Visit<z.output<Query>, Who>),
    submit:
      submit && ((visit) => submit(visit as Visit<z.output<Query>, Who> & { readonly form: z.output<Form> })),
  };
};
