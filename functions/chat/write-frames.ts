import type { AppError } from "../../shared/errors/app-error.ts";
import { toAppError } from "../../shared/errors/dependency-failure.ts";
import { errorBody } from "../../shared/errors/error-body.ts";
import type { ChatEvent, ChatStream } from "../../shared/inference/chat.ts";
import { countTokens } from "../../shared/limits/use.ts";
import type { Source } from "../../shared/outbound/source.ts";
import type { CompletionHead } from "./create-chat-completion.ts";
import type { V1ChatCompletionChunk } from "./v1/chat-contract.ts";

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

const lastFrame = "data: [DONE]\n\n";

type Choice = Partial<V1ChatCompletionChunk["choices"][number]>;

const chunkWriter = ({ id, created, model }: CompletionHead, includesUsage: boolean) => {
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
    role: () => writeChoice({ delta: { role: "assistant", content: "" } }),
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
        case "usage":
          countTokens(event.usage);
          return includesUsage ? write([], event.usage) : "";
      }
    },
  };
};

interface FrameOptions {
  /** Whether the caller asked for the token counts: a loop over `choices[0]` that did not would break at their chunk. */
  readonly includesUsage: boolean;
  /** Called before the last text is given, with the failure if there was one. */
  readonly onEnd: (failure: AppError | undefined) => void;
}

/**
 * An answer as server-sent events; what arrived together leaves together.
 *
 * The status has left, so a failure can only be told inside the stream: in one event with an `error`, which the OpenAI
 * SDKs throw. A stream that just ended would look to them like a whole answer. The failure is given after the last text.
 */
export const writeFrames = (
  head: CompletionHead,
  answer: ChatStream,
  { includesUsage, onEnd }: FrameOptions,
): Source<string> => {
  const chunk = chunkWriter(head, includesUsage);
  let waiting = chunk.role();
  return {
    start: (receiver) =>
      answer.start({
        onPiece: (group) => {
          let text = waiting;
          waiting = "";
          for (const event of group) text += chunk.event(event);
          if (text !== "") receiver.onPiece(text);
        },
        onEnd: (thrown) => {
          const failure = thrown === undefined ? undefined : toAppError(thrown);
          onEnd(failure);
          const error = failure ? frame({ error: errorBody(failure, "").error }) : "";
          receiver.onPiece(waiting + error + lastFrame);
          receiver.onEnd(failure);
        },
      }),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    stop: () => answer.stop(),
  };
};
