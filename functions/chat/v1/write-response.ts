import type { ChatEvent, FinishReason, TokenUsage, ToolCall } from "../../../shared/models/inference/chat.ts";
import type { AppError } from "../../../shared/platform/errors/app-error.ts";
import { countTokens } from "../../../shared/platform/telemetry/use.ts";
import type { EventWriter } from "../write-frames.ts";
import {
  callItem,
  endResponse,
  failResponse,
  messageItem,
  newItemId,
  statusAfter,
  textContentPart,
} from "./create-response.ts";
import type { ResponseObject, ResponseOutputItem } from "./responses-contract.ts";

/** An unfinished item. Its position is the order in which it started. */
interface OpenItem {
  readonly id: string;
  readonly position: number;
}
interface OpenMessage extends OpenItem {
  readonly type: "message";
  text: string;
}
interface OpenCall extends OpenItem {
  readonly type: "function_call";
  call: ToolCall;
}

/**
 * Writes the events of a response: https://platform.openai.com/docs/api-reference/responses-streaming.
 *
 * There is no `[DONE]`: `response.completed`, `response.incomplete` or `response.failed` ends the stream. A failure
 * is an `error` as well, which the OpenAI SDKs throw.
 */
export const responseWriter = (response: ResponseObject): EventWriter => {
  const items: (OpenMessage | OpenCall)[] = [];
  /** The calls by their index among the calls. */
  const calls = new Map<number, OpenCall>();
  let message: OpenMessage | undefined;
  let number = 0;
  let finishReason: FinishReason = "stop";
  let usage: TokenUsage | undefined;

  const write = (type: string, data: object): string => {
    const sequence_number = number;
    number += 1;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data })}\n\n`;
  };
  const positionOf = ({ id, position }: OpenItem) => ({ item_id: id, output_index: position });
  const itemOf = (item: OpenMessage | OpenCall, status: ResponseOutputItem["status"]): ResponseOutputItem =>
    item.type === "message" ? messageItem(item.id, item.text, status) : callItem(item.id, item.call, status);

  const beginMessage = (): string => {
    message = { type: "message", id: newItemId("message"), position: items.length, text: "" };
    items.push(message);
    const item = messageItem(message.id, undefined, "in_progress");
    return (
      write("response.output_item.added", { output_index: message.position, item }) +
      write("response.content_part.added", {
        ...positionOf(message),
        content_index: 0,
        part: textContentPart(""),
      })
    );
  };
  const writeText = (delta: string): string => {
    const opening = message ? "" : beginMessage();
    if (!message) return opening;
    message.text += delta;
    return (
      opening +
      write("response.output_text.delta", { ...positionOf(message), content_index: 0, delta, logprobs: [] })
    );
  };
  const writeArguments = (open: OpenCall, delta: string): string => {
    if (delta === "") return "";
    open.call = { ...open.call, arguments: open.call.arguments + delta };
    return write("response.function_call_arguments.delta", { ...positionOf(open), delta });
  };
  const beginCall = (index: number, call: ToolCall): string => {
    const open: OpenCall = {
      type: "function_call",
      id: newItemId("function_call"),
      position: items.length,
      call: { ...call, arguments: "" },
    };
    items.push(open);
    calls.set(index, open);
    const item = callItem(open.id, open.call, "in_progress");
    return (
      write("response.output_item.added", { output_index: open.position, item }) +
      writeArguments(open, call.arguments)
    );
  };
  const endItem = (item: OpenMessage | OpenCall): string => {
    const position = positionOf(item);
    const content =
      item.type === "message"
        ? write("response.output_text.done", {
            ...position,
            content_index: 0,
            text: item.text,
            logprobs: [],
          }) +
          write("response.content_part.done", {
            ...position,
            content_index: 0,
            part: textContentPart(item.text),
          })
        : write("response.function_call_arguments.done", {
            ...position,
            name: item.call.name,
            arguments: item.call.arguments,
          });
    const done = itemOf(item, statusAfter(finishReason));
    return content + write("response.output_item.done", { output_index: item.position, item: done });
  };
  const outputAs = (status: ResponseOutputItem["status"]) => items.map((item) => itemOf(item, status));

  return {
    begin: () => write("response.created", { response }) + write("response.in_progress", { response }),
    event: (event: ChatEvent): string => {
      switch (event.type) {
        case "text-delta":
          return writeText(event.text);
        case "tool-call":
          return beginCall(event.index, event.call);
        case "tool-call-delta": {
          const open = calls.get(event.index);
          return open ? writeArguments(open, event.arguments) : "";
        }
        case "finish":
          finishReason = event.finishReason;
          return items.map(endItem).join("");
        case "usage":
          countTokens(event.usage);
          usage = event.usage;
          return "";
      }
    },
    end: () => {
      const status = statusAfter(finishReason);
      const ended = endResponse(response, outputAs(status), { finishReason, usage });
      return write(`response.${status}`, { response: ended });
    },
    fail: (failure: AppError) => {
      const { code, message: words, param = null } = failure;
      return (
        write("error", { code, message: words, param }) +
        write("response.failed", { response: failResponse(response, outputAs("incomplete"), failure) })
      );
    },
  };
};
