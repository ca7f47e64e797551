import {
  type CallToolRequestParams,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { service } from "../../shared/http/function-definition.ts";
import { dayMilliseconds } from "../../shared/platform/durations.ts";
import type { CalledTool } from "./call-tool.ts";
import describedTools from "./tools.json" with { type: "json" };
import { toolDefinitions } from "./tools.ts";

const instructions =
  "Translation, language detection, transcription and speech for African languages, mostly of Uganda and East Africa. Languages are named " +
  "by ISO 639-3 or 639-1 codes or by their English names. Results of tools are drafts by models: have important texts checked by a speaker.";

/** The name of the field of `_meta` that a client may send with a call, as over HTTP in `Idempotency-Key`. */
const idempotencyField = "idempotency-key";

/** JSON's types do not say that the schemas are those of objects. */
const tools = describedTools.map(({ inputSchema, outputSchema, ...tool }) => ({
  ...tool,
  inputSchema: { ...inputSchema, type: "object" as const },
  outputSchema: { ...outputSchema, type: "object" as const },
}));

/** @throws ProtocolError for a tool that does not exist. */
const readCall = ({ name, arguments: given = {}, _meta: meta }: CallToolRequestParams): CalledTool => {
  const tool = toolDefinitions.find((one) => one.name === name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such tool.");
  const key = meta?.[idempotencyField];
  return { tool, given, idempotencyKey: typeof key === "string" ? key : undefined };
};

/** A server of the protocol for one message. It has tools, and nothing that could change or that a client could subscribe to. */
export const createToolServer = (call: (toolCall: CalledTool) => Promise<CallToolResult>): Server => {
  const server = new Server(
    { name: "language-ai-service", title: service.name, version: service.apiVersion },
    {
      capabilities: { tools: {} },
      instructions,
      cacheHints: {
        "tools/list": { ttlMs: dayMilliseconds, cacheScope: "public" },
        "server/discover": { ttlMs: dayMilliseconds, cacheScope: "public" },
      },
      // Nothing is elicited from users, so no reply must be validated; the package's own validator has 150 kB.
      jsonSchemaValidator: {
        getValidator: () => {
          throw new Error("Nothing is validated here.");
        },
      },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", ({ params }) => call(readCall(params)));
  return server;
};
