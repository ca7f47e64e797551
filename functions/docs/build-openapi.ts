import * as z from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { type FunctionDefinition, service } from "../../shared/http/function-definition.ts";
import { idempotencyKeyPattern } from "../../shared/http/idempotency-key.ts";
import { type BodyEncoding, idempotencyOf, type Operation, tags } from "../../shared/http/operation.ts";
import { retentionTable, tableMarkdown } from "../../shared/wiring/retention.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { addExamples } from "./add-examples.ts";
import { errorExamples, errorResponses, type SharedResponses } from "./describe-errors.ts";
import { headerComponents, headerGroups, headersOf } from "./describe-headers.ts";
import { nameSchemas } from "./name-schemas.ts";

const contentTypes: Readonly<Record<BodyEncoding, readonly string[]>> = {
  json: ["application/json"],
  form: ["application/x-www-form-urlencoded"],
  "json-or-form": ["application/json", "application/x-www-form-urlencoded"],
  multipart: ["multipart/form-data"],
  raw: ["application/json"],
};

const idempotencyDescriptions: Readonly<Record<NonNullable<Operation["idempotencyKey"]>, string>> = {
  replay:
    "Makes retries safe: for 24 hours, the same request with the same key gets the first response again, with " +
    "`Idempotent-Replayed: true`, and is not run or counted twice. Responses with status 5xx, 401, 403 or 429 are not " +
    "stored. Streamed responses ignore the header.",
  successor:
    "Makes retries safe: for a minute, the replaced token gets the same new token again when it is sent with the same " +
    "key, with `Idempotent-Replayed: true`, so a lost response does not lock you out.",
};

/** The headers that are specific to an operation. */
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

const contentOf = ({ encoding, schema }: NonNullable<Operation["body"]>) =>
  Object.fromEntries(contentTypes[encoding].map((type) => [type, { schema }] as const));

const isRequired = ({ schema }: NonNullable<Operation["body"]>): boolean =>
  !schema.safeParse(undefined).success;

/**
 * The credentials that an operation accepts. The strings of `key` are its scopes, as OpenAPI 3.1 allows for schemes other than
 * OAuth. A public operation with the error `unauthenticated` checks the token itself.
 */
const securityOf = ({ auth, errors, scope }: Operation): Record<string, string[]>[] => {
  const byKey = scope ? [{ key: scope === "any" ? [] : [scope] }] : [];
  const byToken = [{ bearer: [] }, { password: [] }];
  if (auth === "user" || errors.includes("unauthenticated")) return [...byToken, ...byKey];
  return scope ? [{}, ...byToken, ...byKey] : [];
};

const binary = z.string().meta({ format: "binary" });

/** Events have no schema: tools disagree whether it describes the response or each event. */
const schemaOfType = (type: string): { schema?: z.ZodType } => {
  if (type === "text/event-stream") return {};
  return { schema: /^(?:audio\/|application\/vnd\.)/.test(type) ? binary : z.string() };
};

/** The response in each content type. A response that is always streamed is never JSON. */
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

/** The response to browsers of an operation that redirects them. */
const redirect = (operation: Operation, isCompressing: boolean) => ({
  description: "The page, for browsers",
  headers: headersOf(headerGroups(operation, 303, isCompressing), [
    "Location",
    "Cache-Control",
    "Referrer-Policy",
  ]),
});

/** The responses with further statuses, in the form of another protocol. */
const otherResponses = (operation: Operation, isCompressing: boolean) =>
  Object.fromEntries(
    Object.entries(operation.response.otherStatuses ?? {}).map(([status, { description, example }]) => [
      status,
      {
        description,
        headers: headersOf(headerGroups(operation, Number(status), isCompressing)),
        ...(example
          ? { content: { "application/json": { schema: operation.response.schema, example } } }
          : {}),
      },
    ]),
  );

const toOpenApi = (
  operation: Operation,
  isCompressing: boolean,
  shared: SharedResponses,
): ZodOpenApiOperationObject => {
  const { id, summary, description, tag, deprecated, body, response } = operation;
  return {
    operationId: id,
    summary,
    ...(description ? { description } : {}),
    tags: [tag],
    ...(deprecated ? { deprecated: true, "x-replaced-by": deprecated.successor } : {}),
    security: securityOf(operation),
    ...requestParameters(operation),
    ...(body ? { requestBody: { required: isRequired(body), content: contentOf(body) } } : {}),
    responses: {
      [String(response.status)]: {
        description: response.description,
        headers: headersOf(headerGroups(operation, response.status, isCompressing), response.headers),
        ...(response.status === 204 ? {} : { content: responseContent(operation) }),
      },
      ...(response.redirectsBrowsers ? { "303": redirect(operation, isCompressing) } : {}),
      ...otherResponses(operation, isCompressing),
      ...errorResponses(operation, isCompressing, shared),
    },
  };
};

const mayLackType = (schema: boolean | { properties?: object; required?: string[] }): boolean =>
  typeof schema === "object" &&
  "type" in (schema.properties ?? {}) &&
  schema.required?.includes("type") !== true;

/**
 * Fits schemas to what generators of clients can express. They need no bounds of JavaScript's integers and no pattern that
 * only repeats a format. Alternatives of which one may lack the member that distinguishes them are no `oneOf`. They know no type that is only null, no constants other than texts, and no unions of one. A value that
 * may be null has the description of the value.
 */
const forGenerators: ZodOpenApiOverride = ({ jsonSchema, zodSchema: { _zod } }) => {
  const { def } = _zod;
  const inner = def.type === "nullable" ? z.globalRegistry.get(def.innerType)?.description : undefined;
  if (inner !== undefined) jsonSchema.description ??= inner;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format) delete jsonSchema.pattern;
  if (def.type === "null") jsonSchema.type = ["string", "null"];
  if (def.type === "literal" && !def.values.some((value) => typeof value === "string" && value !== "")) {
    delete jsonSchema.const;
    delete jsonSchema.enum;
    jsonSchema["example"] ??= def.values[0];
    const numbers = def.values.filter((value) => typeof value === "number");
    const inOrder = numbers.toSorted((one, other) => one - other);
    const [minimum, maximum] = [inOrder[0], inOrder.at(-1)];
    if (numbers.length > 0) Object.assign(jsonSchema, { type: "integer", minimum, maximum });
  }
  if (jsonSchema.oneOf?.some(mayLackType)) {
    jsonSchema.anyOf = jsonSchema.oneOf;
    delete jsonSchema.oneOf;
  }
  const [only, other] = jsonSchema.oneOf ?? [];
  if (typeof only === "object" && !other) Object.assign(jsonSchema, only, { oneOf: undefined });
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

/** The descriptions of sections that need one. */
const tagDescriptions: Readonly<Partial<Record<Operation["tag"], string>>> = {
  "Accounts and tokens": `What is stored about accounts, and how long:\n\n${tableMarkdown(retentionTable(storedKinds))}`,
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

/** The OpenAPI 3.1 document of the functions' operations. */
export const buildOpenApi = (functions: readonly Pick<FunctionDefinition, "operations" | "transfer">[]) => {
  const paths: Record<string, ZodOpenApiPathsObject[string]> = {};
  const shared: SharedResponses = new Map();
  for (const { operations, transfer } of functions) {
    for (const operation of operations) {
      paths[operation.path] = {
        ...paths[operation.path],
        [operation.method.toLowerCase()]: toOpenApi(operation, transfer === "stream", shared),
      };
    }
  }
  const operations = functions.flatMap((definition) => definition.operations);
  const document = createDocument(
    {
      openapi: "3.1.1",
      info,
      servers: [{ url: "/" }],
      tags: tags.map((name) => {
        const description = tagDescriptions[name];
        return description === undefined ? { name } : { name, description };
      }),
      components: { examples: errorExamples(operations), headers: headerComponents, securitySchemes },
      paths,
    },
    { override: forGenerators },
  );
  nameSchemas(document);
  addExamples(document, operations);
  return document;
};
