import type { ChatEvent, ChatStream, TokenUsage } from "../../shared/models/inference/chat.ts";
import type { AppError } from "../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { errorBody } from "../../shared/platform/errors/error-body.ts";
import type { Source } from "../../shared/platform/outbound/source.ts";
import { countTokens } from "../../shared/platform/telemetry/use.ts";
import type { CompletionHead } from "./create-chat-completion.ts";
import type { V1ChatCompletionChunk } from "./v1/chat-completion.ts";

/** Converts a reply's events to server-sent events. Each call returns whole events, or nothing. */
export interface EventWriter {
  begin(): string;
  event(event: ChatEvent): string;
  /** What is written after the last event of a whole reply. */
  end(): string;
  /** What replaces the rest of a failed reply. */
  fail(failure: AppError): string;
}

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

const lastFrame = "data: [DONE]\n\n";

type Choice = Partial<V1ChatCompletionChunk["choices"][number]>;

/**
 * Writes the chunks of a chat completion. A failure is one event with an `error`, which the OpenAI SDKs throw.
 * @param showUsage returns the token counts to send, if any: a loop over `choices[0]` would break at their chunk.
 */
export const chunkWriter = (
  { id, created, model }: CompletionHead,
  showUsage: (usage: TokenUsage) => TokenUsage | undefined,
): EventWriter => {
  const write = (choices: V1ChatCompletionChunk["choices"], usage: V1ChatCompletionChunk["usage"] = null) =>
    frame({
      id,
      object: "chat.completion.chunk",
      created,
      model,
      choices,
      usage,
    } satisfies V1ChatCompletionChunk);
  const writeChoice = ({ delta = {}, finish_reason = null }: Choice) =>
    write([{ index: 0, delta, finish_reason }]);

  // The chunks with text differ in nothing else, and there are hundreds of them: what is around it is written once.
  const [beforeText = "", afterText = ""] = writeChoice({ delta: { content: "" } }).split('""');
  return {
    begin: () => writeChoice({ delta: { role: "assistant", content: "" } }),
    event: (event: ChatEvent): string => {
      switch (event.type) {
        case "text-delta":
          return beforeText + JSON.stringify(event.text) + afterText;
        case "tool-call": {
          const { id, name, arguments: text } = event.call;
          const called = {
            index: event.index,
            id,
            type: "function" as const,
            function: { name, arguments: text },
          };
          return writeChoice({ delta: { tool_calls: [called] } });
        }
        case "tool-call-delta":
          return writeChoice({
            delta: { tool_calls: [{ index: event.index, function: { arguments: event.arguments } }] },
          });
        case "finish":
          return writeChoice({ finish_reason: event.finishReason });
        case "usage": {
          countTokens(event.usage);
          const usage = showUsage(event.usage);
          return usage ? write([], usage) : "";
        }
      }
    },
    end: () => lastFrame,
    fail: (failure) => frame({ error: errorBody(failure, "").error }) + lastFrame,
  };
};

/**
 * A reply as server-sent events; events that arrived together are sent together. The status has been sent, so a
 * failure can only be reported in the stream, after the last text: a stream that just ended would look like a whole
 * reply.
 * @param onEnd called before the last text, with the failure if there was one.
 */
export const writeFrames = (
  writer: EventWriter,
  reply: ChatStream,
  onEnd: (failure: AppError | undefined) => void,
): Source<string> => {
  let waiting = writer.begin();
  return {
    start: (receiver) =>
      reply.start({
        onPiece: (group) => {
          let text = waiting;
          waiting = "";
          for (const event of group) text += writer.event(event);
          if (text !== "") receiver.onPiece(text);
        },
        onEnd: (thrown) => {
          const failure = thrown === undefined ? undefined : toAppError(thrown);
          onEnd(failure);
          receiver.onPiece(waiting + (failure ? writer.fail(failure) : writer.end()));
          receiver.onEnd(failure);
        },
      }),
    pause: () => reply.pause(),
    resume: () => reply.resume(),
    stop: () => reply.stop(),
  };
};
