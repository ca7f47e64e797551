import { randomUUID } from "node:crypto";
import type { CompletionRequest } from "./completion-request.ts";
import type { Conversation } from "./conversation.ts";
import { fillSchema } from "./fill-schema.ts";

/** A tool that the reply calls. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

type Tool = NonNullable<CompletionRequest["tools"]>[number]["function"];

/** What names of tools begin with, and what says nothing of what they are about. */
const verbs = new Set(
  "get find search look up fetch list make create set read show tell give current the a for of".split(" "),
);

/** Whether a message speaks of a tool: by its whole name, or by a word of it that says what it is about. */
const isRequested = ({ name }: Tool, message: string): boolean => {
  const said = message.toLowerCase();
  const words = name.match(/[A-Z]?[a-z]+|[A-Z]+/gu)?.map((word) => word.toLowerCase()) ?? [];
  const meaningful = words.filter((word) => !verbs.has(word));
  return (
    said.includes(name.toLowerCase()) ||
    said.split(/[^\p{L}\p{M}]+/u).some((word) => meaningful.includes(word))
  );
};

/** The subject of a question: the text in quotation marks, names inside a sentence, then all of it. */
const subjectsOf = (message: string): string[] => {
  const quoted = [...message.matchAll(/["“‘']([^"”’']{1,200})["”’'](?!\p{L})/gu)].map(
    ([, text = ""]) => text,
  );
  const names = [...message.matchAll(/(?<=[\p{L},] )\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*)*/gu)];
  return [...quoted, ...names.map(([name]) => name), message];
};

const call = ({ name, parameters }: Tool, message: string): ToolCall => {
  const filled = fillSchema(parameters ?? { type: "object" }, { message, texts: subjectsOf(message) });
  return {
    id: `call_${randomUUID().replaceAll("-", "")}`,
    name,
    arguments: JSON.stringify(filled),
  };
};

/**
 * The tools that a request wants called: those that its last message speaks of, or those that must be called. The arguments
 * are the numbers, quotations and names of that message.
 */
export const chooseCalls = (
  { tools, tool_choice: choice, parallel_tool_calls: isParallel }: CompletionRequest,
  { message, results }: Conversation,
): ToolCall[] => {
  const offered = (tools ?? []).map((tool) => tool.function);
  if (choice === "none") return [];
  if (typeof choice === "object" && choice !== null) {
    return offered.filter(({ name }) => name === choice.function.name).map((tool) => call(tool, message));
  }
  // A tool's result is repeated, and the tool is not called again.
  if (results.length > 0) return [];
  const requested = offered.filter((tool) => isRequested(tool, message));
  const wanted = requested.length === 0 && choice === "required" ? offered.slice(0, 1) : requested;
  return wanted.slice(0, isParallel === false ? 1 : undefined).map((tool) => call(tool, message));
};
