import * as z from "zod";
import { dialectOf } from "../../shared/platform/errors/error-body.ts";

const issue = z.object({
  loc: z.array(z.union([z.string(), z.int()])).min(1),
  msg: z.string().min(1),
  type: z.string().min(1),
});
const detail = z.union([z.string().min(1), z.array(issue).min(1)]);

/** The body of every error; an error may say more about itself in `error`. */
export const errorBody = z.object({
  detail,
  error: z.looseObject({
    code: z.string(),
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
  }),
  request_id: z.string().min(1),
});

/** The body of errors of token endpoints. */
export const oauthErrorBody = z.object({
  detail,
  error: z.string(),
  error_description: z.string(),
  request_id: z.string().min(1),
});

const dialectErrorFields = { code: z.string(), request_id: z.string().min(1) };

/** The body of errors for clients of DeepL. */
const deeplErrorBody = z.object({ message: z.string().min(1), ...dialectErrorFields });

/** The body of errors for clients of LibreTranslate. */
const libreTranslateErrorBody = z.object({ error: z.string().min(1), ...dialectErrorFields });

/** The body of errors at a path. */
export const errorBodyOf = (path: string): z.ZodType => {
  const dialect = dialectOf(path);
  if (dialect === "deepl") return deeplErrorBody;
  return dialect === "libretranslate" ? libreTranslateErrorBody : errorBody;
};

const withCode = z.union([
  errorBody.transform(({ error }) => error.code),
  z.object(dialectErrorFields).transform(({ code }) => code),
]);

/** The code of an error in any of these forms; `undefined` for anything else. */
export const codeOf = (body: unknown): string | undefined => withCode.safeParse(body).data;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Paths of members that a schema has dropped, at every depth. */
const dropped = (given: unknown, declared: unknown, path: readonly string[] = []): string[] => {
  if (!isObject(given)) return [];
  return Object.entries(given).flatMap(([name, member]) =>
    isObject(declared) && Object.hasOwn(declared, name)
      ? dropped(member, declared[name], [...path, name])
      : [[...path, name].join(".")],
  );
};

/**
 * The faults of a body, compared with its declaration; empty when there are none. Members that the schema does not
 * name are faults at every depth, unless it is loose there: they may be private.
 */
export const problemsOf = (schema: z.ZodType, body: unknown): string[] => {
  const { data, error } = schema.safeParse(body);
  if (error) return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return dropped(body, data).map((path) => `${path}: not declared`);
};
