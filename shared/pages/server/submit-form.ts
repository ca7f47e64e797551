import { AppError } from "../../platform/errors/app-error.ts";
import { validate } from "../../platform/validation/validation.ts";
import { fill, type Texts } from "../texts/languages.ts";
import type { Page } from "./define-page.ts";
import { comesFromHere, formTokenField, isFormTokenOf } from "./form-token.ts";
import type { OpenVisit } from "./open-visit.ts";
import type { BoundPage } from "./page.ts";
import {
  canBeShownAgain,
  describeIssues,
  describeRefusal,
  type FormProblems,
  noProblems,
} from "./problems.ts";
import type { PageResponse } from "./responses.ts";
import type { Visit } from "./visit.ts";

const fieldsOf = (body: unknown): [string, unknown][] =>
  Object.entries(typeof body === "object" && body !== null ? body : {});

const listsIn = (body: unknown): Record<string, readonly string[]> => {
  const lists: Record<string, readonly string[]> = {};
  for (const [name, value] of fieldsOf(body)) {
    if (name === formTokenField || /password/i.test(name)) continue;
    lists[name] = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");
  }
  return lists;
};

const firstOf = (lists: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, [first = ""]]) => [name, first]));

const again = (visit: Visit, body: unknown, problems: FormProblems): Visit => {
  const lists = listsIn(body);
  return { ...visit, lists, values: firstOf(lists), problems };
};

const withProblems = (
  response: PageResponse,
  { status, retryAfterSeconds }: { readonly status: number; readonly retryAfterSeconds?: number | undefined },
  declared: Page,
  texts: Texts,
): PageResponse => {
  if (response.kind !== "shown") return response;
  const title = response.title ?? declared.title(texts);
  return { ...response, status, retryAfterSeconds, title: fill(texts.forms.errorTitle, { title }) };
};

/** Handles a form. @throws errors that the person cannot fix; for programs, all errors. */
export const submitForm = async (
  { page: declared, show, submit }: BoundPage,
  { visit, formSecret }: OpenVisit,
  body: unknown,
): Promise<PageResponse> => {
  const { texts, request, baseUrl, wantsHtml } = visit;
  if (!submit || !declared.form) throw new AppError("not_found");
  const showAgain = async (problems: FormProblems, status: number, retryAfterSeconds?: number) =>
    withProblems(await show(again(visit, body, problems)), { status, retryAfterSeconds }, declared, texts);
  const [, token] = fieldsOf(body).find(([name]) => name === formTokenField) ?? [];
  const isOurs =
    comesFromHere(request.headers, baseUrl) && formSecret !== undefined && isFormTokenOf(token, formSecret);
  if (!isOurs) {
    if (!wantsHtml) throw new AppError("forbidden", { message: texts.errors.form_too_old });
    return showAgain({ form: texts.errors.form_too_old, fields: {} }, 403);
  }
  if (!wantsHtml) return submit({ ...visit, form: validate(declared.form, body) });
  const form = declared.form.safeParse(body, { reportInput: true });
  if (!form.success) return showAgain(describeIssues(form.error.issues, texts), 422);
  try {
    return await submit({ ...again(visit, body, noProblems), form: form.data });
  } catch (error) {
    if (!canBeShownAgain(error)) throw error;
    // Browsers show a password dialog of their own for 401.
    const status = error.status === 401 ? 422 : error.status;
    return showAgain(
      describeRefusal(
        error,
        texts,
        fieldsOf(body).map(([name]) => name),
      ),
      status,
      error.retryAfterSeconds,
    );
  }
};
