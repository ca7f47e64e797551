import * as z from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { service } from "../../shared/http/function-definition.ts";
import { idempotencyKeyPattern } from "../../shared/http/idempotency-key.ts";
import { type BodyEncoding, idempotencyOf, type Operation, tags } from "../../shared/http/operation.ts";
import { addExamples } from "./add-examples.ts";
import { errorExamples, errorResponses } from "./describe-errors.ts";

const contentTypes: Readonly<Record<BodyEncoding, readonly string[]>> = {
  json: ["application/json"],
  form: ["application/x-www-form-urlencoded"],
  "json-or-form": ["application/json", "application/x-www-form-urlencoded"],
  multipart: ["multipart/form-data"],
  raw: ["application/json"],
};

/** What an `Idempotency-Key` does, in words for callers. */
const idempotencyDescriptions: Readonly<Record<NonNullable<Operation["idempotencyKey"]>, string>> = {
  replay:
    "Names this request, so that it can be sent again without being carried out, or counted, again: for 24 hours the same " +
    "request with the same key gets the first answer, with `Idempotent-Replayed: true`. Answers with a status of 5xx, 401, " +
    "403 or 429 are not kept. Where an answer is sent while it is made, the header is ignored.",
  successor:
    "Names this request: for a minute the token that it replaced gets the same new one again when it is sent with the same " +
    "key, with `Idempotent-Replayed: true`, so that a lost answer locks nobody out.",
};

/** The headers beside those of every request. */
const headerParameters = (operation: Operation) => {
  const takes = idempotencyOf(operation);
  const { variesBy } = operation;
  if (!takes) return variesBy ? { header: variesBy } : {};
  const key = z
    .string()
    .regex(idempotencyKeyPattern)
    .optional()
    .meta({ description: idempotencyDescriptions[takes] });
  return { header: z.object({ ...variesBy?.shape, "Idempotency-Key": key }) };
};

const objectSchema = (schema: z.ZodType | undefined): z.ZodObject | undefined =>
  schema instanceof z.ZodObject ? schema : undefined;

/** The same body in each encoding in which it may be sent. */
const contentOf = ({ encoding, schema }: NonNullable<Operation["body"]>) =>
  Object.fromEntries(contentTypes[encoding].map((type) => [type, { schema }] as const));

/**
 * Which credentials an operation takes. The names beside the key are its scopes, as OpenAPI 3.1 has them for schemes other
 * than OAuth. What anybody may call, and yet answers that there is no token, checks the token itself.
 */
const securityOf = ({ auth, errors, scope }: Operation): Record<string, string[]>[] => {
  const byKey = scope ? [{ key: scope === "any" ? [] : [scope] }] : [];
  const byToken = [{ bearer: [] }, { password: [] }];
  if (auth === "user" || errors.includes("unauthenticated")) return [...byToken, ...byKey];
  return scope ? [{}, ...byToken, ...byKey] : [];
};

const binary = z.string().meta({ format: "binary" });

/** Of events there is none: readers of the document disagree whether it were that of the whole answer or of each event. */
const schemaOfType = (type: string): { schema?: z.ZodType } => {
  if (type === "text/event-stream") return {};
  return { schema: type.startsWith("audio/") ? binary : z.string() };
};

/** The answer in each form that it may have. What always leaves while it is made is never JSON. */
const responseContent = ({ response, streams }: Operation) => ({
  ...(streams === "always" ? {} : { "application/json": { schema: response.schema } }),
  ...Object.fromEntries(
    (response.otherContentTypes ?? []).map((type) => [type, schemaOfType(type)] as const),
  ),
});

const requestParameters = (operation: Operation) => {
  const query = objectSchema(operation.query);
  const path = objectSchema(operation.pathParameters);
  if (!(query || path || idempotencyOf(operation) || operation.variesBy)) return {};
  return {
    requestParams: { ...(query ? { query } : {}), ...(path ? { path } : {}), ...headerParameters(operation) },
  };
};

const toOpenApi = (operation: Operation): ZodOpenApiOperationObject => {
  const { id, summary, description, tag, deprecated, body, response } = operation;
  return {
    operationId: id,
    summary,
    ...(description ? { description } : {}),
    tags: [tag],
    ...(deprecated ? { deprecated: true, "x-replaced-by": deprecated.successor } : {}),
    security: securityOf(operation),
    ...requestParameters(operation),
    ...(body ? { requestBody: { required: true, content: contentOf(body) } } : {}),
    responses: {
      [String(response.status)]: {
        description: response.description,
        ...(response.status === 204 ? {} : { content: responseContent(operation) }),
      },
      ...errorResponses(operation),
    },
  };
};

/** zod gives every integer JavaScript's safe range as its bounds, which says nothing to a caller. */
const withoutSafeIntegerBounds: ZodOpenApiOverride = ({ jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

const info = {
  title: service.name,
  version: service.apiVersion,
  description:
    "Translation, language identification, speech and chat for African, mainly Ugandan, languages. " +
    "Get a token from `POST /auth/token`, or a key for a program from `POST /auth/keys`, and send it as " +
    "`Authorization: Bearer <token>`.",
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
};

const securitySchemes = {
  password: {
    type: "oauth2",
    description: "Username and password for an access token, for tools that log in themselves.",
    flows: { password: { tokenUrl: "/auth/token", scopes: {} } },
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "An access token from `POST /auth/token`. It can do everything the account can.",
  },
  key: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "lai_…",
    description: "A key for a program from `POST /auth/keys`. It can do what its scopes allow.",
  },
} as const;

/** The OpenAPI 3.1 document of the operations. */
export const buildOpenApi = (operations: readonly Operation[]) => {
  const paths: Record<string, ZodOpenApiPathsObject[string]> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: toOpenApi(operation),
    };
  }
  const document = createDocument(
    {
      openapi: "3.1.1",
      info,
      servers: [{ url: "/" }],
      tags: tags.map((name) => ({ name })),
      components: { examples: errorExamples(operations), securitySchemes },
      paths,
    },
    { override: withoutSafeIntegerBounds },
  );
  addExamples(document, operations);
  return document;
};
