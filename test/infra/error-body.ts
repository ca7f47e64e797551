import * as z from "zod";
import { type ErrorCode, errorCatalogue } from "../../shared/platform/errors/catalogue.ts";

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

/** Parses the template of one of API Gateway's own errors, and returns its code. */
export const parseErrorTemplate = (text: string | undefined): z.infer<typeof errorBody> =>
  errorBody.parse(JSON.parse(text ?? ""));
