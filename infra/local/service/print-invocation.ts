import { text } from "node:stream/consumers";
import type { InvocationResult } from "@language-ai/aws-stand-ins";

/** What a function answered, as one text. A streamed answer is its metadata and its body, apart by a line break. */
export const invocationAnswer = async (
  result: InvocationResult,
): Promise<{ ok: boolean; answer: string }> => {
  switch (result.kind) {
    case "buffered":
      return { ok: true, answer: result.payload.toString("utf8") };
    case "error":
      return {
        ok: false,
        answer: JSON.stringify({ errorType: result.errorType, errorMessage: result.errorMessage }),
      };
    case "stream": {
      const whole = await text(result.body);
      return { ok: result.failure() === undefined, answer: whole.replace("\0".repeat(8), "\n") };
    }
  }
};
