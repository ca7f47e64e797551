import * as z from "zod";
import type { MockIntegration, MockResponse } from "./local-model.ts";
import type { ResourceView } from "./resolved-assembly.ts";

const texts = z.record(z.string(), z.string()).default({});

const responseSchema = z.object({
  StatusCode: z.coerce.number().int(),
  SelectionPattern: z.string().optional(),
  ResponseParameters: texts,
  ResponseTemplates: texts,
});

export const mockIntegrationSchema = z.object({
  Type: z.literal("MOCK"),
  PassthroughBehavior: z.enum(["WHEN_NO_MATCH", "WHEN_NO_TEMPLATES", "NEVER"]).default("WHEN_NO_MATCH"),
  ContentHandling: z.enum(["CONVERT_TO_TEXT", "CONVERT_TO_BINARY"]).optional(),
  RequestTemplates: texts,
  IntegrationResponses: z.array(responseSchema).default([]),
});

const HEADER_PREFIX = "method.response.header.";

const readHeaders = (parameters: Record<string, string>, resource: ResourceView): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([parameter, expression]) => {
      const known = parameter.startsWith(HEADER_PREFIX) && /^('.*'|context\..+)$/.test(expression);
      if (known) return [parameter.slice(HEADER_PREFIX.length), expression];
      throw resource.error(
        `sets ${parameter} to ${expression}; headers from statics and context variables are served`,
      );
    }),
  );

// Mapping templates are Velocity programs. Those that only insert context variables are served; a program that decides
// something would need its interpreter.
const requirePlain = (templates: Record<string, string>, resource: ResourceView): Record<string, string> => {
  for (const template of Object.values(templates)) {
    const program = /#(?:set|if|else|elseif|end|foreach|macro)\b|\$(?!context\.)[!{a-zA-Z]/.exec(template);
    if (program !== null)
      throw resource.error(`has a mapping template with ${program[0]}, which is not evaluated locally`);
  }
  return templates;
};

const readResponse = (response: z.output<typeof responseSchema>, resource: ResourceView): MockResponse => ({
  statusCode: response.StatusCode,
  selectionPattern: response.SelectionPattern,
  headers: readHeaders(response.ResponseParameters, resource),
  templates: requirePlain(response.ResponseTemplates, resource),
});

/** An integration that API Gateway answers by itself: CORS preflights, refused methods. */
export const readMockIntegration = (
  integration: z.output<typeof mockIntegrationSchema>,
  resource: ResourceView,
): MockIntegration => ({
  type: "mock",
  passthroughBehavior: integration.PassthroughBehavior,
  contentHandling: integration.ContentHandling,
  requestTemplates: requirePlain(integration.RequestTemplates, resource),
  responses: integration.IntegrationResponses.map((response) => readResponse(response, resource)),
});
