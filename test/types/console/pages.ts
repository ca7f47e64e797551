/**
 * What a page's declaration promises to refuse when it is compiled. `npm run check` compiles this file: a line below
 * `@ts-expect-error` that compiles is an error itself. Nothing runs it.
 */
import { expectTypeOf } from "vitest";
import * as z from "zod";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { page } from "../../../shared/pages/server/page.ts";
import { data, redirect, shown } from "../../../shared/pages/server/responses.ts";
import type { SignedIn } from "../../../shared/pages/server/visit.ts";

const declared = {
  id: "typed",
  path: "/console/typed",
  title: () => "Typed",
  query: z.object({ page: z.string().transform(Number) }),
  form: z.object({ name: z.string() }),
  data: z.object({ names: z.array(z.string()) }),
} as const;

const forAnyone = definePage({ ...declared, audience: "everybody" });
const forAccounts = definePage({ ...declared, audience: "signed-in" });
const plain = definePage({ id: "plain", path: "/plain", audience: "everybody", title: () => "Plain" });

const empty = shown({ content: null });

/** A page sees the query and the form as they were parsed, and an account only when it is for accounts. */
export const visits = [
  page(forAccounts, {
    show: (visit) => {
      expectTypeOf(visit.query).toEqualTypeOf<{ page: number }>();
      expectTypeOf(visit.account).toEqualTypeOf<SignedIn["account"]>();
      return empty;
    },
    submit: (visit) => {
      expectTypeOf(visit.form).toEqualTypeOf<{ name: string }>();
      // @ts-expect-error: the form has no such field.
      return redirect(visit.form.path);
    },
  }),
  page(forAnyone, {
    show: (visit) => {
      // @ts-expect-error: a visitor has no account.
      return redirect(visit.account.username);
    },
  }),
  page(plain, {
    show: (visit) => {
      // @ts-expect-error: the page declares no query.
      return redirect(visit.query.page);
    },
    submit: (visit) => {
      // @ts-expect-error: the page declares no form.
      return redirect(visit.form.name);
    },
  }),
];

/** A page sends programs the data that it declares. */
export const results = [
  page(forAnyone, { show: () => data({ names: ["Amina"] }) }),
  // @ts-expect-error: a field is missing.
  page(forAnyone, { show: () => data({}) }),
  // @ts-expect-error: the field has another type.
  page(forAnyone, { show: async () => data({ names: [1] }) }),
];

/** A declaration is complete and consistent. */
export const declarations = [
  // @ts-expect-error: a page says who may see it.
  definePage({ ...declared }),
  // @ts-expect-error: there is no such audience.
  definePage({ ...declared, audience: "nobody" }),
  // @ts-expect-error: a path begins with a slash.
  definePage({ ...declared, audience: "everybody", path: "console" }),
];
