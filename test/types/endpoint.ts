/**
 * What an operation's declaration promises to refuse when it is compiled. `npm run check` compiles this file: a line below
 * `@ts-expect-error` that compiles is an error itself. Nothing runs it.
 */
import { expectTypeOf } from "vitest";
import * as z from "zod";
import type { Caller } from "../../shared/accounts/access/caller.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { defineOperation } from "../../shared/http/operation.ts";

const route = {
  id: "typed",
  method: "POST",
  path: "/typed",
  summary: "Typed",
  tag: "Service",
  errors: [],
  response: { status: 200, description: "A sum", schema: z.object({ sum: z.number() }) },
} as const;

const body = { encoding: "json", schema: z.object({ count: z.string().transform(Number) }) } as const;
const forAccounts = defineOperation({ ...route, auth: "user", scope: "translate", body });
const forAnyone = defineOperation({ ...route, auth: "public", query: z.object({ page: z.string() }) });

/** A use case gets the parts that its operation declares, parsed, and no others. */
export const inputs = [
  endpoint(forAccounts, (input) => {
    expectTypeOf(input.body).toEqualTypeOf<{ count: number }>();
    expectTypeOf(input.query).toEqualTypeOf<undefined>();
    expectTypeOf(input.path).toEqualTypeOf<undefined>();
    expectTypeOf(input.caller).toEqualTypeOf<Caller>();
    // @ts-expect-error: the body has no such field.
    return { sum: input.body.total };
  }),
  endpoint(forAnyone, (input) => {
    expectTypeOf(input.body).toEqualTypeOf<undefined>();
    expectTypeOf(input.query).toEqualTypeOf<{ page: string }>();
    expectTypeOf(input.caller).toEqualTypeOf<undefined>();
    return { sum: 1 };
  }),
];

/** A use case returns what its operation declares. */
export const results = [
  // @ts-expect-error: the field has another type.
  endpoint(forAccounts, () => ({ sum: "1" })),
  // @ts-expect-error: a field is missing.
  endpoint(forAccounts, () => ({})),
  // @ts-expect-error: the same of a promise.
  endpoint(forAccounts, async () => ({ total: 1 })),
];

/** A declaration is complete and consistent. */
export const declarations = [
  // @ts-expect-error: a task names the scope that a key needs.
  defineOperation({ ...route, auth: "user" }),
  defineOperation({ ...route, auth: "user", limit: "account" }),
  // @ts-expect-error: there is no account to count a public operation on.
  defineOperation({ ...route, auth: "public", limit: "account" }),
  // @ts-expect-error: an operation for accounts is always counted.
  defineOperation({ ...route, auth: "user", limit: "delivery" }),
  // @ts-expect-error: the catalogue has no such error.
  defineOperation({ ...route, auth: "public", errors: ["no_such_error"] }),
  // @ts-expect-error: there is no such scope.
  defineOperation({ ...route, auth: "user", scope: "everything" }),
  // @ts-expect-error: the documentation has no such section.
  defineOperation({ ...route, auth: "public", tag: "Elsewhere" }),
  // @ts-expect-error: a path begins with a slash.
  defineOperation({ ...route, auth: "public", path: "typed" }),
  // @ts-expect-error: the example's request does not match the body.
  defineOperation({ ...route, auth: "public", body, example: { request: { count: 1 } } }),
];
