import * as z from "zod";
import { type ErrorCode, errorCatalogue } from "../../shared/platform/errors/catalogue.ts";
import { type Dialect, dialectOf } from "../../shared/platform/errors/error-body.ts";

const codes = new Set<string>(Object.keys(errorCatalogue));
const errorCode = z.custom<ErrorCode>((value) => typeof value === "string" && codes.has(value));

const errorBody = z.strictObject({
  detail: z.string().min(1),
  error: z.strictObject({
    code: errorCode,
    message: z.string().min(1),
    type: z.string(),
    param: z.null(),
  }),
  request_id: z.literal("$context.requestId"),
});

const requestId = z.literal("$context.requestId");

/** The bodies of errors below the paths of the APIs of others. */
const dialectErrorBodies: Readonly<Partial<Record<Dialect, z.ZodType<{ code: ErrorCode }>>>> = {
  deepl: z.strictObject({ message: z.string().min(1), code: errorCode, request_id: requestId }),
  libretranslate: z.strictObject({ error: z.string().min(1), code: errorCode, request_id: requestId }),
};

/** Returns the code in the template of an error at a path, in the form that belongs to the path. */
export const codeOfTemplate = (path: string, text: string | undefined): ErrorCode => {
  const dialect = dialectOf(path);
  const own = dialect && dialectErrorBodies[dialect];
  return own ? own.parse(JSON.parse(text ?? "")).code : parseErrorTemplate(text).error.code;
};

/** Parses the template of one of API Gateway's own errors, and returns its code. */
export const parseErrorTemplate = (text: string | undefined): z.infer<typeof errorBody> =>
  errorBody.parse(JSON.parse(text ?? ""));
