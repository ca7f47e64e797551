import type { AppError } from "../../shared/errors/app-error.ts";
import { toAppError } from "../../shared/errors/dependency-failure.ts";
import { errorBody } from "../../shared/errors/error-body.ts";
import type { ChatEvent, ChatStream } from "../../shared/inference/chat.ts";
import type { ChatCompletionChunk } from "./contract.ts";
import type { CompletionHead } from "./create-chat-completion.ts";

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

const lastFrame = "data: [DONE]\n\n";

type Choice = Partial<ChatCompletionChunk["choices"][number]>;

const chunkWriter = ({ id, created, model }: CompletionHead) => {
  const write = (choices: ChatCompletionChunk["choices"], usage: ChatCompletionChunk["usage"] = null) =>
    frame({
      id,
      object: "chat.completion.chunk",
      created,
      model,
      choices,
      usage,
    } satisfies ChatCompletionChunk);
  const writeChoice = ({ delta = {}, finish_reason = null }: Choice) =>
    write([{ index: 0, delta, finish_reason }]);

  return {
    role: () => writeChoice({ delta: { role: "assistant", content: "" } }),
    event: (event: ChatEvent): string => {
      switch (event.type) {
        case "text-delta":
          return writeChoice({ delta: { content: event.text } });
        case "finish":
          return writeChoice({ finish_reason: event.finishReason });
        case "usage":
          return write([], event.usage);
      }
    },
  };
};

/**
 * An answer as server-sent events; what arrived together leaves together.
 *
 * The status has left, so a failure can only be told inside the stream: in one event with an `error`, which the OpenAI
 * SDKs throw. A stream that just ended would look to them like a whole answer. This never throws.
 *
 * @param onFailure told of the failure, for the log
 */
export async function* writeFrames(
  head: CompletionHead,
  answer: ChatStream,
  onFailure: (error: AppError) => void,
): AsyncGenerator<string, void, undefined> {
  const chunk = chunkWriter(head);
  let waiting = chunk.role();
  try {
    for await (const events of answer) {
      for (const event of events) waiting += chunk.event(event);
      if (waiting !== "") yield waiting;
      waiting = "";
    }
    yield lastFrame;
  } catch (thrown) {
    const error = toAppError(thrown);
    onFailure(error);
    yield waiting + frame({ error: errorBody(error, "").error }) + lastFrame;
  }
}
