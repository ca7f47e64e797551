import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import {
  accountRequestEnvironment,
  callbackRulesEnvironment,
  jobQueueEnvironment,
  limitsEnvironment,
  publicAddressEnvironment,
  speechBackendEnvironment,
  speechPlatformEnvironment,
  tokenEnvironment,
  transcriptionBackendEnvironment,
  transcriptionFeaturesEnvironment,
  translationBackendEnvironment,
} from "../../shared/platform/config/environment.ts";
import { countVariable } from "../../shared/platform/config/variables.ts";
import { rawBody } from "../../shared/platform/validation/fields.ts";

const tag = "Agents";

/** The path of the guide that shows how to set up clients. */
export const agentsGuide = "/docs/guides/agents";

/** The arguments of a tool, as large as the largest body that an operation of a tool accepts, with the rest of the message. */
const maxMessageBytes = 160 * 1_024;

/** A message of the protocol. Its form depends on the method, and the protocol's own package checks it. */
const jsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal("2.0").describe("The version of JSON-RPC"),
    id: z
      .union([z.string(), z.number(), z.null()])
      .optional()
      .meta({
        override: { type: ["string", "integer", "null"] },
        example: 1,
        description: "The request's id",
      }),
    result: z
      .looseObject({})
      .optional()
      .meta({
        example: {
          content: [{ type: "text", text: '{"output":{"translated_text":"Oli otya?"}}' }],
          structuredContent: { output: { translated_text: "Oli otya?" } },
        },
        description: "The result, of a request that succeeded. That of a tool that failed has `isError`",
      }),
    error: z
      .looseObject({
        code: z.int().meta({ example: -32_602, description: "JSON-RPC's code" }),
        message: z.string().meta({ example: "Unknown tool", description: "A sentence for people" }),
      })
      .optional()
      .describe("Why a message could not be processed"),
  })
  .meta({ id: "JsonRpcResponse" });

const refusal = (code: number, message: string) => ({
  jsonrpc: "2.0" as const,
  id: null,
  error: { code, message },
});

const exampleCall = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "translate", arguments: { text: "How are you?", target_language: "lug" } },
};

export const mcpOperation = defineOperation({
  id: "callMcp",
  method: "POST",
  path: "/mcp",
  summary: "Let an agent use the service as tools",
  description:
    "The Model Context Protocol over Streamable HTTP, stateless, in its revisions 2026-07-28 and 2025-11-25. Every message is a request of " +
    `its own; the response is JSON. A tool runs the operation behind it with the caller's token or key, so scopes, limits, quotas and ` +
    "`Idempotency-Key` are those of that operation; other messages count on the account's limit a minute. Requests with an `Origin` other " +
    `than the service's own are refused. [Agents](${agentsGuide}) shows how to set up clients.`,
  tag,
  auth: "public",
  authorizer: true,
  scope: "any",
  limit: "reading",
  body: {
    encoding: "raw",
    schema: rawBody("One message of the protocol, as JSON", exampleCall),
    maxBytes: maxMessageBytes,
  },
  response: {
    status: 200,
    description: "The response to the message",
    schema: jsonRpcMessage,
    headers: [
      "x-ratelimit-limit-characters",
      "x-ratelimit-remaining-characters",
      "x-ratelimit-reset-characters",
    ],
    otherStatuses: {
      202: { description: "A notification, which has no response" },
      400: {
        description: "Not a message of the protocol, or of a revision that is not known",
        example: refusal(-32_700, "The message is not JSON."),
      },
      404: {
        description: "A method that does not exist, for clients of revision 2026-07-28",
        example: refusal(-32_601, "Method not found"),
      },
      406: {
        description: "`Accept` must have `application/json`",
        example: refusal(-32_000, "Not Acceptable"),
      },
      415: {
        description: "`Content-Type` must be `application/json`",
        example: refusal(-32_000, "Unsupported Media Type"),
      },
    },
  },
  example: {
    response: {
      jsonrpc: "2.0",
      id: 1,
      result: {
        content: [{ type: "text", text: '{"output":{"translated_text":"Oli otya?"}}' }],
        structuredContent: { output: { translated_text: "Oli otya?" } },
      },
    },
  },
  errors: ["unauthenticated", "forbidden", "payload_too_large", "service_unavailable"],
});

export const mcpFunction = defineFunction({
  name: "mcp",
  description: "Tools for agents, over the Model Context Protocol",
  operations: [mcpOperation],
  environment: {
    ...accountRequestEnvironment,
    ...callbackRulesEnvironment,
    ...limitsEnvironment,
    ...jobQueueEnvironment,
    ...transcriptionFeaturesEnvironment,
    ...publicAddressEnvironment,
    ...speechBackendEnvironment,
    ...speechPlatformEnvironment,
    ...tokenEnvironment,
    ...transcriptionBackendEnvironment,
    ...translationBackendEnvironment,
    /** How many pieces of jobs all accounts together may have in progress. */
    JOB_PIECES_AT_ONCE: countVariable,
  },
  memoryMegabytes: 512,
  // As long as its slowest tools, which speak and transcribe.
  timeoutSeconds: 300,
  transfer: "stream",
});
