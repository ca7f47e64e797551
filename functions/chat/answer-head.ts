import { randomUUID } from "node:crypto";
import type { ChatModelId } from "../../shared/inference/chat.ts";

/** What an answer and each of its chunks begin with. */
export interface AnswerHead {
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** The service's own name of the model, never that of its server. */
  readonly model: ChatModelId;
}

/** The head of a new answer. */
export const newAnswerHead = (model: ChatModelId): AnswerHead => ({
  id: `chatcmpl-${randomUUID().replaceAll("-", "")}`,
  created: Math.floor(Date.now() / 1_000),
  model,
});
