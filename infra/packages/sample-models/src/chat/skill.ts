import type { Conversation } from "./conversation.ts";

/** One thing the sample server can do: gives the answer, or undefined when the conversation asks something else. */
export type Skill = (conversation: Conversation) => string | undefined;
