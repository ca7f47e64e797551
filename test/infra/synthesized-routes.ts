import * as z from "zod";
import { lambdasByName, resourcesOfType, type SynthesizedService } from "./synthesized-service.ts";

const texts = z.record(z.string(), z.string());

const integration = z.strictObject({
  type: z.enum(["aws_proxy", "mock"]),
  httpMethod: z.literal("POST").optional(),
  uri: z.string().optional(),
  responseTransferMode: z.string().optional(),
  timeoutInMillis: z.number().optional(),
  passthroughBehavior: z.string().optional(),
  contentHandling: z.string().optional(),
  requestTemplates: texts.optional(),
  responses: z
    .record(
      z.string(),
      z.strictObject({
        statusCode: z.string(),
        responseParameters: texts,
        responseTemplates: z.looseObject({ "application/json": z.string() }),
      }),
    )
    .optional(),
});

const method = z.strictObject({
  operationId: z.string().optional(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.literal("path") })).default([]),
  // Required: a method that says nothing about it would be public unseen.
  security: z.array(z.record(z.string(), z.tuple([]))).max(1),
  responses: z.record(z.string(), z.looseObject({ headers: z.record(z.string(), z.unknown()).optional() })),
  "x-amazon-apigateway-integration": integration,
});

const definition = z.strictObject({
  openapi: z.literal("3.0.1"),
  info: z.object({ title: z.string(), version: z.string() }),
  servers: z.array(z.looseObject({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), method)),
  components: z.strictObject({
    securitySchemes: z.record(
      z.string(),
      z.looseObject({
        "x-amazon-apigateway-authorizer": z.looseObject({ authorizerUri: z.unknown() }),
      }),
    ),
  }),
  "x-amazon-apigateway-gateway-responses": z.record(
    z.string(),
    z.strictObject({ statusCode: z.string(), responseParameters: texts, responseTemplates: texts }),
  ),
  "x-amazon-apigateway-binary-media-types": z.array(z.string()),
});

/** The REST API's own OpenAPI document, as the template has it. */
export const definitionOf = ({ api }: Pick<SynthesizedService, "api">): z.infer<typeof definition> => {
  const [restApi] = resourcesOfType(api, "AWS::ApiGateway::RestApi").values();
  return definition.parse(restApi?.Properties["Body"]);
};

/** A method of the REST API, as the template has it. */
export interface SynthesizedRoute {
  /** `ANY` for all methods that the path does not have otherwise. */
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  /** The function behind it; `undefined` when API Gateway responds itself. */
  readonly functionName: string | undefined;
  /** The function that admits its callers; `undefined` for a public method. */
  readonly authorizer: string | undefined;
  readonly parameters: readonly string[];
  /** The headers that its responses declare, by status. */
  readonly declaredHeaders: Readonly<Record<string, readonly string[]>>;
  readonly integration: z.infer<typeof integration>;
}

const stageProperties = z.object({ Variables: z.record(z.string(), z.unknown()) });

/** Every method of the REST API. */
export const routesOf = (service: SynthesizedService): readonly SynthesizedRoute[] => {
  const { paths, components } = definitionOf(service);
  const [stage] = resourcesOfType(service.api, "AWS::ApiGateway::Stage").values();
  const { Variables } = stageProperties.parse(stage?.Properties);
  const lambdas = [...lambdasByName(service)];
  const functionIn = (value: unknown): string | undefined =>
    lambdas.find(([, { aliasId }]) => JSON.stringify(value)?.includes(`"${aliasId}"`))?.[0];
  const functionOf = (uri: string | undefined): string | undefined => {
    const [, variable = ""] = /:function:\$\{stageVariables\.(\w+)\}\//.exec(uri ?? "") ?? [];
    return functionIn(Variables[variable]);
  };
  const authorizerOf = ([scheme]: z.infer<typeof method>["security"]): string | undefined =>
    scheme &&
    functionIn(
      components.securitySchemes[Object.keys(scheme).join()]?.["x-amazon-apigateway-authorizer"]
        .authorizerUri,
    );
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, declared]) => ({
      method: name === "x-amazon-apigateway-any-method" ? "ANY" : name.toUpperCase(),
      path,
      operationId: declared.operationId,
      functionName: functionOf(declared["x-amazon-apigateway-integration"].uri),
      authorizer: authorizerOf(declared.security),
      parameters: declared.parameters.map((parameter) => parameter.name),
      declaredHeaders: Object.fromEntries(
        Object.entries(declared.responses).map(([status, { headers }]) => [
          status,
          Object.keys(headers ?? {}),
        ]),
      ),
      integration: declared["x-amazon-apigateway-integration"],
    })),
  );
};
