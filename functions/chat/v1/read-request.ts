import type {
  ChatMessage,
  ChatRequest,
  ChatTool,
  ResponseFormat,
  ToolCall,
  ToolChoice,
} from "../../../shared/models/inference/chat.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { findModel, stopTexts, withInstruction } from "../create-chat-completion.ts";
import type { V1ChatCompletionRequest, V1ChatMessage } from "./chat-contract.ts";
import type { ResponseFunction, ResponseInputItem, ResponseRequest } from "./responses-contract.ts";
import { engineParametersIn } from "./tool-fields.ts";

/** A function as both routes declare it. */
interface DeclaredTool {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly strict?: boolean | null | undefined;
}

const toolOf = ({ name, description, parameters, strict }: DeclaredTool): ChatTool => ({
  name,
  description: description ?? undefined,
  parameters: parameters ?? undefined,
  strict: strict ?? undefined,
});

/**
 * Reads the tools, and how to call them. @throws AppError `unsupported_parameter` when a required tool is missing.
 */
const readTools = (
  declared: readonly DeclaredTool[] | null | undefined,
  choice: ToolChoice | undefined,
  parallelToolCalls: boolean | null | undefined,
): Pick<ChatRequest, "tools" | "toolChoice" | "parallelToolCalls"> => {
  const tools = declared?.map(toolOf) ?? [];
  const name = typeof choice === "object" ? choice.name : undefined;
  if (choice === "required" ? tools.length === 0 : name && !tools.some((tool) => tool.name === name)) {
    throw new AppError("unsupported_parameter", {
      message: "`tool_choice` requires a tool that is not in `tools`.",
      param: "tool_choice",
    });
  }
  // Servers refuse what is said about tools where there are none, although it changes nothing.
  if (tools.length === 0) return {};
  return { tools, toolChoice: name ? { name } : choice, parallelToolCalls: parallelToolCalls ?? undefined };
};

/** A response format as both routes declare it. */
interface DeclaredFormat extends Omit<DeclaredTool, "parameters"> {
  readonly schema?: Readonly<Record<string, unknown>> | null | undefined;
}

const schemaFormat = ({ name, description, schema, strict }: DeclaredFormat): ResponseFormat => ({
  type: "json_schema",
  name,
  description: description ?? undefined,
  schema: schema ?? undefined,
  strict: strict ?? undefined,
});

const readMessage = (message: V1ChatMessage): ChatMessage => {
  const name = message.name ?? undefined;
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: message.content, name };
    case "user":
      return { role: "user", content: message.content, name };
    case "tool":
      return { role: "tool", content: message.content ?? "", toolCallId: message.tool_call_id };
    case "assistant":
      return {
        role: "assistant",
        content: message.content || (message.refusal ?? ""),
        name,
        toolCalls: message.tool_calls?.map(({ id, function: { name, arguments: text } }) => ({
          id,
          name,
          arguments: text,
        })),
      };
  }
};

/** Some clients always send an instruction, even an empty one. */
const saysSomething = ({ role, content }: ChatMessage): boolean => role !== "system" || content.trim() !== "";

const chatFormat = (format: V1ChatCompletionRequest["response_format"]): ResponseFormat | undefined => {
  if (format?.type === "json_schema") return schemaFormat(format.json_schema);
  return format?.type === "json_object" ? { type: "json_object" } : undefined;
};

/** The request for `/v1/chat/completions`. @throws AppError `unknown_model`, `unsupported_parameter`. */
export const readV1ChatRequest = (request: V1ChatCompletionRequest): ChatRequest => {
  const { tool_choice: choice } = request;
  return {
    model: findModel(request.model),
    messages: withInstruction(request.messages.map(readMessage).filter(saysSomething)),
    temperature: request.temperature,
    topP: request.top_p ?? undefined,
    maxTokens: request.max_tokens ?? request.max_completion_tokens ?? undefined,
    stop: stopTexts(request.stop),
    ...readTools(
      request.tools?.map((tool) => tool.function),
      typeof choice === "object" ? choice?.function : choice,
      request.parallel_tool_calls,
    ),
    responseFormat: chatFormat(request.response_format),
    seed: request.seed ?? undefined,
    presencePenalty: request.presence_penalty ?? undefined,
    frequencyPenalty: request.frequency_penalty ?? undefined,
    reasoningEffort: request.reasoning_effort ?? undefined,
    engine: engineParametersIn(request),
  };
};

/** Items as a conversation: the calls of one turn are separate items here, and become one message. */
const readItems = (items: readonly ResponseInputItem[]): ChatMessage[] => {
  const messages: ChatMessage[] = [];
  /** The calls of the last turn, if it is the model's. */
  let calls: ToolCall[] | undefined;
  const addTurn = (content: string): ToolCall[] => {
    const toolCalls: ToolCall[] = [];
    messages.push({ role: "assistant", content, toolCalls });
    return toolCalls;
  };
  for (const item of items) {
    if (item.type === "function_call") {
      calls ??= addTurn("");
      calls.push({ id: item.call_id, name: item.name, arguments: item.arguments });
    } else if (item.type === "function_call_output") {
      messages.push({ role: "tool", content: item.output, toolCallId: item.call_id });
      calls = undefined;
    } else if ("role" in item) {
      const { role, content } = item;
      if (role === "assistant") calls = addTurn(content);
      else {
        messages.push({ role: role === "developer" ? "system" : role, content });
        calls = undefined;
      }
    }
  }
  return messages;
};

const responseFormat = (text: ResponseRequest["text"]): ResponseFormat | undefined => {
  const format = text?.format;
  if (format?.type === "json_schema") return schemaFormat(format);
  return format?.type === "json_object" ? { type: "json_object" } : undefined;
};

/** The functions among the tools of a request. */
export const functionsIn = (tools: ResponseRequest["tools"]): ResponseFunction[] =>
  (tools ?? []).filter((tool) => tool.type === "function");

/** The request to the models for `/v1/responses`. @throws AppError `unknown_model`, `unsupported_parameter`. */
export const readResponseRequest = (request: ResponseRequest): ChatRequest => {
  const { input, instructions, tool_choice: choice } = request;
  const turns: readonly ChatMessage[] =
    typeof input === "string" ? [{ role: "user", content: input }] : readItems(input);
  return {
    model: findModel(request.model),
    messages: withInstruction(
      [{ role: "system", content: instructions ?? "" } as const, ...turns].filter(saysSomething),
    ),
    temperature: request.temperature,
    topP: request.top_p ?? undefined,
    maxTokens: request.max_output_tokens ?? undefined,
    stop: undefined,
    ...readTools(functionsIn(request.tools), choice ?? undefined, request.parallel_tool_calls),
    responseFormat: responseFormat(request.text),
    reasoningEffort: request.reasoning?.effort ?? undefined,
    engine: engineParametersIn(request),
  };
};
