import type { AppError } from "../../shared/errors/app-error.ts";
import { toAppError } from "../../shared/errors/dependency-failure.ts";
import { errorBody } from "../../shared/errors/error-body.ts";
import type { ChatEvent, ChatStream } from "../../shared/inference/chat.ts";
import { countTokens } from "../../shared/limits/use.ts";
import type { CompletionHead } from "./create-chat-completion.ts";
import { noMoreText, type TextResult, type Texts } from "./keep-alive.ts";
import type { V1ChatCompletionChunk } from "./v1/chat-contract.ts";

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

const lastFrame = "data: [DONE]\n\n";

type Choice = Partial<V1ChatCompletionChunk["choices"][number]>;

const chunkWriter = ({ id, created, model }: CompletionHead) => {
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
 * The failure is given back after the last text.
 *
 * @param onEnd called before the last text is given, with the failure if there was one.
 */
export const writeFrames = (
  head: CompletionHead,
  answer: ChatStream,
  onEnd: (failure: AppError | undefined) => void,
): Texts => {
  const chunk = chunkWriter(head);
  const groups = answer[Symbol.asyncIterator]();
  let waiting = chunk.role();
  let last: TextResult | undefined;

  const end = (text: string, failure?: AppError): TextResult => {
    last = { done: true, value: failure };
    onEnd(failure);
    return { done: false, value: text + lastFrame };
  };
  const write = (result: IteratorResult<readonly ChatEvent[], unknown>): TextResult | Promise<TextResult> => {
    if (result.done) return end(waiting);
    for (const event of result.value) waiting += chunk.event(event);
    if (waiting === "") return groups.next().then(write, fail);
    const text = waiting;
    waiting = "";
    return { done: false, value: text };
  };
  const fail = (thrown: unknown): TextResult => {
    const error = toAppError(thrown);
    return end(waiting + frame({ error: errorBody(error, "").error }), error);
  };

  // By hand, and no generator, which would cost each token several promises.
  return {
    next: () => (last ? Promise.resolve(last) : groups.next().then(write, fail)),
    return: async () => {
      last = noMoreText;
      await groups.return?.();
      return noMoreText;
    },
  };
};
