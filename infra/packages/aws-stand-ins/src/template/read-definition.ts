import * as z from "zod";
import type { ResourceView } from "./resolved-assembly.ts";

type Properties = Readonly<Record<string, unknown>>;

/**
 * An API's own OpenAPI document (`Body`), as the CloudFormation resources that would have the same content: one reader then reads
 * both.
 */
export interface ApiDefinition {
  readonly methods: readonly { readonly resource: ResourceView; readonly path: string }[];
  readonly authorizers: readonly ResourceView[];
  readonly gatewayResponses: readonly ResourceView[];
  readonly binaryMediaTypes: readonly string[];
}

const nothing: ApiDefinition = { methods: [], authorizers: [], gatewayResponses: [], binaryMediaTypes: [] };

const anyMethod = "x-amazon-apigateway-any-method";
const methods = ["get", "head", "post", "put", "patch", "delete", "options", anyMethod] as const;

const extension = z.record(z.string(), z.unknown());
const noValidator = z.never("request validators are not served").optional();

const operationSchema = z.object({
  operationId: z.string().optional(),
  security: z.array(extension).max(1, "one authorizer for each method is served").default([]),
  "x-amazon-apigateway-auth": z.never("IAM authorization is not served").optional(),
  "x-amazon-apigateway-request-validator": noValidator,
  "x-amazon-apigateway-integration": z.looseObject({
    type: z.string(),
    passthroughBehavior: z.string().optional(),
    responses: z.record(z.string(), extension).default({}),
  }),
});

const definitionSchema = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(methods), operationSchema)),
  security: z.never("authorizers of the whole API are not served").optional(),
  components: z
    .object({
      securitySchemes: z
        .record(
          z.string(),
          z.object({ "x-amazon-apigateway-authorizer": z.looseObject({ type: z.string() }) }),
        )
        .default({}),
    })
    .default({ securitySchemes: {} }),
  "x-amazon-apigateway-request-validator": noValidator,
  "x-amazon-apigateway-gateway-responses": z.record(z.string(), extension).default({}),
  "x-amazon-apigateway-binary-media-types": z.array(z.string()).default([]),
});

type DefinedOperation = z.output<typeof operationSchema>;

/** API Gateway's extensions have the names of the resources' properties, with a small letter first. */
const propertiesOf = (values: Properties): Properties =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]),
  );

const integrationOf = (operation: DefinedOperation): Properties => {
  const { type, passthroughBehavior, responses, ...others } = operation["x-amazon-apigateway-integration"];
  return {
    ...propertiesOf(others),
    Type: type.toUpperCase(),
    PassthroughBehavior: passthroughBehavior?.toUpperCase(),
    IntegrationResponses: Object.entries(responses).map(([pattern, response]) => ({
      ...propertiesOf(response),
      SelectionPattern: pattern === "default" ? undefined : pattern,
    })),
  };
};

const methodOf = (method: string, operation: DefinedOperation): Properties => {
  const [scheme] = operation.security;
  return {
    HttpMethod: method,
    OperationName: operation.operationId,
    ...(scheme && { AuthorizationType: "CUSTOM", AuthorizerId: Object.keys(scheme).join(" and ") }),
    Integration: integrationOf(operation),
  };
};

/** Reads the definition of a REST API; it is empty when the API's routes are resources of their own. */
export const readDefinition = (resource: ResourceView): ApiDefinition => {
  const { Body } = resource.read(z.object({ Body: definitionSchema.optional() }));
  if (Body === undefined) return nothing;
  const part = (name: string, properties: Properties): ResourceView => ({
    ...resource,
    logicalId: name,
    name,
    read: (schema) => resource.parse(schema, properties),
    error: (problem) => resource.error(`at ${name} ${problem}`),
  });
  const { securitySchemes } = Body.components;
  return {
    methods: Object.entries(Body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([key, operation]) => {
        const method = key === anyMethod ? "ANY" : key.toUpperCase();
        return { resource: part(`${method} ${path}`, methodOf(method, operation)), path };
      }),
    ),
    authorizers: Object.entries(securitySchemes).map(([name, scheme]) => {
      const { type, ...others } = scheme["x-amazon-apigateway-authorizer"];
      return part(name, { ...propertiesOf(others), Type: type.toUpperCase() });
    }),
    gatewayResponses: Object.entries(Body["x-amazon-apigateway-gateway-responses"]).map(([type, response]) =>
      part(type, { ...propertiesOf(response), ResponseType: type }),
    ),
    binaryMediaTypes: Body["x-amazon-apigateway-binary-media-types"],
  };
};
