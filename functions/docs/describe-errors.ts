import * as z from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { accountTypes } from "../../shared/accounts/access/account-access.ts";
import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import { idempotencyOf, limitClassOf, type Operation } from "../../shared/http/operation.ts";
import { AppError, invalidField, keyReused } from "../../shared/platform/errors/app-error.ts";
import { type ErrorCode, errorCatalogue } from "../../shared/platform/errors/catalogue.ts";
import {
  type Dialect,
  dialectOf,
  errorBodyAt,
  oauthErrorBody,
  statusAt,
} from "../../shared/platform/errors/error-body.ts";
import { headerGroups, headersOf, headerWords } from "./describe-headers.ts";
import { componentName } from "./name-schemas.ts";

/** Loose, as some errors have more fields: those of the messaging webhook have the fields of version 1. */
const errorResponseBody = z
  .looseObject({
    detail: z.string().describe("What went wrong, as a sentence"),
    error: z
      .looseObject({
        code: z
          .string()
          .describe("What went wrong, for programs; the errors of each operation list the codes"),
        message: z.string().describe("What went wrong, as a sentence"),
        type: z
          .string()
          .describe("The kind of error in the OpenAI API, from which its clients choose a class"),
        param: z
          .string()
          .nullable()
          .describe(
            "The path of the field that is at fault, such as `messages[0].content`; null when it is no single field",
          ),
      })
      .describe("The error in the format of the OpenAI API; some have more fields"),
    request_id: z
      .string()
      .describe("The id of the request, as in `X-Request-Id`; include it when you report a problem"),
  })
  .meta({ id: "ErrorBody" });

const validationErrorBody = errorResponseBody
  .extend({
    detail: z
      .array(
        z
          .object({
            // Not a union of texts and numbers: Kotlin's generated clients cannot read one.
            loc: z
              .array(z.unknown())
              .describe("Names of fields, and positions in lists, from the outside in"),
            msg: z.string().describe("The problem as a sentence"),
            type: z.string().describe("The rule that was broken, in Pydantic's words, such as `missing`"),
          })
          .meta({ id: "ValidationIssue" }),
      )
      .describe("All problems of the request"),
  })
  .meta({ id: "ValidationErrorBody" });

const oauthErrorResponseBody = z
  .object({
    detail: z
      .union([z.string(), validationErrorBody.shape.detail])
      .describe("What went wrong as a sentence, or all problems of the request"),
    error: z.string().meta({ example: "invalid_grant", description: "The code of RFC 6749, section 5.2" }),
    error_description: errorResponseBody.shape.detail,
    request_id: errorResponseBody.shape.request_id,
  })
  .meta({ id: "OAuthErrorBody" });

const deeplErrorBody = z
  .object({
    message: errorResponseBody.shape.detail,
    code: errorResponseBody.shape.error.shape.code,
    request_id: errorResponseBody.shape.request_id,
  })
  .meta({ id: "DeeplErrorBody" });

const libreTranslateErrorBody = z
  .object({ error: errorResponseBody.shape.detail, ...deeplErrorBody.omit({ message: true }).shape })
  .meta({ id: "LibreTranslateErrorBody" });

const errorSchema = ({ errorFormat, path }: Operation, status: number): z.ZodType => {
  if (errorFormat === "oauth") return oauthErrorResponseBody;
  const dialect = dialectOf(path);
  if (dialect === "deepl") return deeplErrorBody;
  if (dialect === "libretranslate") return libreTranslateErrorBody;
  if (status === 400 && dialect === "openai") return z.union([errorResponseBody, validationErrorBody]);
  return status === 422 ? validationErrorBody : errorResponseBody;
};

const limitErrors = (operation: Operation): ErrorCode[] => {
  const limitClass = limitClassOf(operation);
  return limitClass === "task" ? ["rate_limited", "quota_exceeded"] : ["rate_limited"];
};

/** Whether a valid key can be refused: its scopes must name the operation's, and no key can call one without a scope. */
const refusesKeys = ({ auth, scope }: Operation): boolean =>
  scope === undefined ? auth === "user" : scope !== "any";

const sharedErrors = (operation: Operation): ErrorCode[] => [
  ...(operation.body || operation.query || operation.pathParameters || idempotencyOf(operation)
    ? (["validation_failed"] as const)
    : []),
  // Of a body that is not UTF-8.
  ...(operation.body && operation.body.encoding !== "raw" ? (["bad_request"] as const) : []),
  ...(operation.body ? (["payload_too_large"] as const) : []),
  ...(operation.auth === "user" ? (["unauthenticated", "forbidden"] as const) : []),
  ...(refusesKeys(operation) ? (["insufficient_scope"] as const) : []),
  ...(idempotencyOf(operation) === "replay"
    ? (["request_in_progress", "idempotency_key_reused"] as const)
    : []),
  ...limitErrors(operation),
  "internal",
  "service_unavailable",
];

const streamsAtOnce = accountTypes
  .flatMap((type) => {
    const { streamsAtOnce: max } = accountPoliciesWith(1)({ account_type: type, email_verified: true });
    return max === undefined ? [] : [`${max} for ${type} accounts`];
  })
  .join(", ");

const streamLimit =
  `The number of streamed responses open at once is limited: ${streamsAtOnce}. A request beyond that gets ` +
  "`rate_limited`, until shortly after another stream has ended.";

const describeErrors = (operation: Operation, codes: readonly ErrorCode[]): string =>
  [
    ...codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`),
    ...(operation.streams && codes.includes("rate_limited") ? [streamLimit] : []),
  ].join("\n\n");

const errorCodesOf = (operation: Operation): Set<ErrorCode> =>
  new Set([...operation.errors, ...sharedErrors(operation)]);

const dialectWords: Readonly<Record<Dialect, string>> = {
  openai: "v1_",
  deepl: "deepl_",
  libretranslate: "libretranslate_",
};

/** The prefix of the names of errors whose format is not the common one. */
const formatPrefix = ({ errorFormat, path }: Operation): string => {
  if (errorFormat === "oauth") return "oauth_";
  const dialect = dialectOf(path);
  return dialect ? dialectWords[dialect] : "";
};

const exampleName = (operation: Operation, code: ErrorCode): string => `${formatPrefix(operation)}${code}`;

const requestId = "8c1f6a52-3a4e-4d0b-9d27-5f2b1c7e9a10";

/** Errors whose bodies list problems. */
const problemLists: Readonly<Partial<Record<ErrorCode, AppError>>> = {
  validation_failed: invalidField(["body", "text"], "Field required", { type: "missing" }),
  idempotency_key_reused: keyReused(),
};

const exampleError = (code: ErrorCode): AppError => problemLists[code] ?? new AppError(code);

/** An example body of each error, by the name that responses refer to. */
export const errorExamples = (operations: readonly Operation[]) =>
  Object.fromEntries(
    operations.flatMap((operation) =>
      [...errorCodesOf(operation)].map((code) => {
        const error = exampleError(code);
        const value =
          operation.errorFormat === "oauth"
            ? oauthErrorBody(error, requestId)
            : errorBodyAt(operation.path, error, requestId);
        return [exampleName(operation, code), { value }] as const;
      }),
    ),
  );

const describeStatus = (
  operation: Operation,
  status: number,
  codes: readonly ErrorCode[],
): ZodOpenApiResponseObject => ({
  description: describeErrors(operation, codes),
  content: {
    "application/json": {
      schema: errorSchema(operation, status),
      examples: Object.fromEntries(
        codes.map(
          (code) => [code, { $ref: `#/components/examples/${exampleName(operation, code)}` }] as const,
        ),
      ),
    },
  },
});

/** Responses that operations share, by all that distinguishes them. */
export type SharedResponses = Map<string, ZodOpenApiResponseObject>;

/**
 * The errors of an operation, by their status.
 *
 * @param shared the responses of other operations; new ones are added. Six hundred would make the document twice as large.
 */
export const errorResponses = (operation: Operation, isCompressing: boolean, shared: SharedResponses) => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const status = statusAt(operation.path, code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([one], [other]) => one - other)
      .map(([status, codes]) => {
        const groups = headerGroups(operation, status, isCompressing);
        const name = `${formatPrefix(operation)}${codes.join("_or_")}`;
        const streams = operation.streams && status === 429 ? "Streams" : "";
        const id = `${componentName(name)}${streams}${headerWords(groups)}`;
        const response = shared.get(id) ?? {
          id,
          ...describeStatus(operation, status, codes),
          headers: headersOf(groups),
        };
        shared.set(id, response);
        return [String(status), response] as const;
      }),
  );
};
