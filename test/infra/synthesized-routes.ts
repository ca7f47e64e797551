import * as z from "zod";
import { lambdasByName, resourcesOfType, type SynthesizedService } from "./synthesized-service.ts";

const reference = z.object({ Ref: z.string() });

const resourceProperties = z.object({
  PathPart: z.string(),
  ParentId: z.union([reference, z.object({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) })]),
});

const methodProperties = z.object({
  HttpMethod: z.string(),
  ResourceId: z.union([reference, z.object({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) })]),
  AuthorizationType: z.string(),
  AuthorizerId: reference.optional(),
  Integration: z.object({
    Type: z.string(),
    Uri: z.unknown().optional(),
    ResponseTransferMode: z.string().optional(),
    TimeoutInMillis: z.number().optional(),
    PassthroughBehavior: z.string().optional(),
    RequestTemplates: z.record(z.string(), z.string()).optional(),
    IntegrationResponses: z
      .array(
        z.object({
          StatusCode: z.string(),
          SelectionPattern: z.string().optional(),
          ResponseParameters: z.record(z.string(), z.string()),
          ResponseTemplates: z.looseObject({ "application/json": z.string() }),
        }),
      )
      .optional(),
  }),
});

/** A method of the REST API, as the template has it. */
export interface SynthesizedRoute {
  readonly method: string;
  readonly path: string;
  /** The function behind it; `undefined` when API Gateway responds itself. */
  readonly functionName: string | undefined;
  readonly authorizer: string | undefined;
  readonly integration: z.infer<typeof methodProperties>["Integration"];
}

/** Every method of the REST API. */
export const routesOf = (service: SynthesizedService): readonly SynthesizedRoute[] => {
  const resources = resourcesOfType(service.api, "AWS::ApiGateway::Resource");
  const pathOf = (id: z.infer<typeof methodProperties>["ResourceId"]): string => {
    if (!("Ref" in id)) return "";
    const { ParentId, PathPart } = resourceProperties.parse(resources.get(id.Ref)?.Properties);
    return `${pathOf(ParentId)}/${PathPart}`;
  };
  const functionOf = (uri: unknown): string | undefined =>
    [...lambdasByName(service)].find(([, { aliasId }]) => JSON.stringify(uri)?.includes(`"${aliasId}"`))?.[0];

  return [...resourcesOfType(service.api, "AWS::ApiGateway::Method").values()].map(({ Properties }) => {
    const { HttpMethod, ResourceId, AuthorizerId, Integration } = methodProperties.parse(Properties);
    return {
      method: HttpMethod,
      path: pathOf(ResourceId) || "/",
      functionName: functionOf(Integration.Uri),
      authorizer: AuthorizerId?.Ref,
      integration: Integration,
    };
  });
};
