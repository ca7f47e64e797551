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
import type { ResponseObject, ResponseOutputItem } from "./response-object.ts";

/** An item that is still being written. Its position is the order in which the items started. */
type OpenItem = OpenMessage | OpenCall;
interface OpenMessage {
  readonly type: "message";
  readonly id: string;
  readonly position: number;
  text: string;
}
interface OpenCall {
  readonly type: "function_call";
  readonly id: string;
  readonly position: number;
  call: ToolCall;
}

type ItemStatus = ResponseOutputItem["status"];

const positionOf = ({ id, position }: OpenItem) => ({ item_id: id, output_index: position });

const itemOf = (item: OpenItem, status: ItemStatus): ResponseOutputItem =>
  item.type === "message" ? messageItem(item.id, item.text, status) : callItem(item.id, item.call, status);

/**
 * Writes the events of a response: https://platform.openai.com/docs/api-reference/responses-streaming. Instead of
 * `[DONE]`, `response.completed`, `response.incomplete` or `response.failed` ends the stream. A failure is also sent
 * as an `error`, which the OpenAI SDKs throw.
 */
export class ResponseWriter implements EventWriter {
  readonly #response: ResponseObject;
  readonly #items: OpenItem[] = [];
  /** By their index among the calls. */
  readonly #calls = new Map<number, OpenCall>();
  #message: OpenMessage | undefined;
  #eventCount = 0;
  #finishReason: FinishReason = "stop";
  #usage: TokenUsage | undefined;

  constructor(response: ResponseObject) {
    this.#response = response;
  }

  begin(): string {
    const data = { response: this.#response };
    return this.#write("response.created", data) + this.#write("response.in_progress", data);
  }

  event(event: ChatEvent): string {
    switch (event.type) {
      case "text-delta":
        return this.#writeText(event.text);
      case "tool-call":
        return this.#startCall(event.index, event.call);
      case "tool-call-delta": {
        const open = this.#calls.get(event.index);
        return open ? this.#writeArguments(open, event.arguments) : "";
      }
      case "finish":
        this.#finishReason = event.finishReason;
        return this.#items.map((item) => this.#endItem(item)).join("");
      case "usage":
        countTokens(event.usage);
        this.#usage = event.usage;
        return "";
    }
  }

  end(): string {
    const [finishReason, usage] = [this.#finishReason, this.#usage];
    const status = statusAfter(finishReason);
    const response = endResponse(this.#response, this.#outputAs(status), { finishReason, usage });
    return this.#write(`response.${status}`, { response });
  }

  fail(failure: AppError): string {
    const { code, message, param = null } = failure;
    const response = failResponse(this.#response, this.#outputAs("incomplete"), failure);
    return this.#write("error", { code, message, param }) + this.#write("response.failed", { response });
  }

  #write(type: string, data: object): string {
    const sequence_number = this.#eventCount;
    this.#eventCount += 1;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data })}\n\n`;
  }

  #startItem(open: OpenItem, item: ResponseOutputItem): string {
    this.#items.push(open);
    return this.#write("response.output_item.added", { output_index: open.position, item });
  }

  #startMessage(): string {
    const id = newItemId("message");
    this.#message = { type: "message", id, position: this.#items.length, text: "" };
    return (
      this.#startItem(this.#message, messageItem(id, undefined, "in_progress")) +
      this.#writeContent("response.content_part.added", this.#message, { part: textContentPart("") })
    );
  }

  #writeContent(type: string, message: OpenMessage, data: object): string {
    return this.#write(type, { ...positionOf(message), content_index: 0, ...data });
  }

  #writeText(delta: string): string {
    const message = this.#message;
    if (!message) return this.#startMessage() + this.#writeText(delta);
    message.text += delta;
    const data = { ...positionOf(message), content_index: 0, delta, logprobs: [] };
    return this.#write("response.output_text.delta", data);
  }

  #startCall(index: number, call: ToolCall): string {
    const open: OpenCall = {
      type: "function_call",
      id: newItemId("function_call"),
      position: this.#items.length,
      call: { ...call, arguments: "" },
    };
    this.#calls.set(index, open);
    return this.#startItem(open, itemOf(open, "in_progress")) + this.#writeArguments(open, call.arguments);
  }

  #writeArguments(open: OpenCall, delta: string): string {
    if (delta === "") return "";
    open.call = { ...open.call, arguments: open.call.arguments + delta };
    return this.#write("response.function_call_arguments.delta", { ...positionOf(open), delta });
  }

  #endItem(open: OpenItem): string {
    const item = itemOf(open, statusAfter(this.#finishReason));
    return (
      this.#endContent(open) + this.#write("response.output_item.done", { output_index: open.position, item })
    );
  }

  #endContent(open: OpenItem): string {
    if (open.type === "message") {
      const { text } = open;
      return (
        this.#writeContent("response.output_text.done", open, { text, logprobs: [] }) +
        this.#writeContent("response.content_part.done", open, { part: textContentPart(text) })
      );
    }
    const { name, arguments: text } = open.call;
    const data = { ...positionOf(open), name, arguments: text };
    return this.#write("response.function_call_arguments.done", data);
  }

  #outputAs(status: ItemStatus): ResponseOutputItem[] {
    return this.#items.map((item) => itemOf(item, status));
  }
}
