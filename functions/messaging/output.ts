import * as z from "zod";

const row = z.object({ id: z.string(), title: z.string(), description: z.string().optional() });
const button = z.object({ id: z.string(), title: z.string() });

/** A message of the assistant, as it is planned and stored; {@link ./platform/messaging-platform.ts} sends it. */
export const output = z.discriminatedUnion("kind", [
  /** `quoting`: the id of the message that is shown above it. */
  z.object({ kind: z.literal("text"), text: z.string(), quoting: z.string().optional() }),
  z.object({
    kind: z.literal("list"),
    header: z.string(),
    text: z.string(),
    footer: z.string().optional(),
    /** What is tapped to open the list. */
    button: z.string(),
    rows: z.array(row),
  }),
  z.object({ kind: z.literal("buttons"), text: z.string(), buttons: z.array(button) }),
  /** A voice note, made when its turn comes. `language` is an ISO 639-3 code. */
  z.object({ kind: z.literal("speech"), text: z.string(), language: z.string() }),
]);
export type Output = z.infer<typeof output>;
export type ListOutput = Extract<Output, { kind: "list" }>;
export type ButtonsOutput = Extract<Output, { kind: "buttons" }>;
export type SpeechOutput = Extract<Output, { kind: "speech" }>;

/** A plain message. */
export const say = (text: string): Output => ({ kind: "text", text });
