import * as z from "zod";

/**
 * Fields of replies, each read for itself: one that a server writes in another way than the others is read as they write it, and one
 * that cannot be read is treated as absent.
 */

/** A part of a list is text unless it says otherwise, as Mistral's thoughts do. */
const textPart = z
  .union([
    z.string(),
    z
      .object({ type: z.enum(["text", "output_text"]).optional(), text: z.string() })
      .transform(({ text }) => text),
  ])
  .catch("");

const listOrNumber = z
  .union([z.array(textPart).transform((parts) => parts.join("")), z.number().transform(String)])
  .catch("");

/** The text of a content, which may be a list of parts: without thoughts. */
export const textOf = (content: unknown): string =>
  typeof content === "string" ? content : content == null ? "" : listOrNumber.parse(content);

const optionalText = z.string().nullish().catch(undefined);

const wireId = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined);

/** Which of several a choice or a call is; some servers omit it when there is only one. */
export const wireIndex = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^\d{1,6}$/)
      .transform(Number),
  ])
  .nullish()
  .catch(undefined);

/** The word for the end of a reply, if any: some servers write that there is none yet as a word, and some write an object. */
export const wireFinish = z
  .union([z.string(), z.object({ type: z.string().catch("stop") }).transform(({ type }) => type)])
  .nullish()
  .catch(undefined)
  .transform((word) => (word && word !== "null" && word !== "None" ? word : undefined));

/** Whether arguments are none: mlx-lm writes the JSON of an empty text where its model left them out. */
export const isWithoutArguments = (text: string): boolean => ["", '""'].includes(text.trim());

/** Some servers write the arguments as JSON in JSON, as OpenAI does, and some as they are. */
const wireArguments = z
  .unknown()
  .optional()
  .transform((value) => (value == null ? "" : typeof value === "string" ? value : JSON.stringify(value)));

/** A call of a tool, or a piece of one; what is missing is empty. */
const wireCall = z
  .object({
    index: wireIndex,
    id: wireId,
    function: z.object({ name: optionalText, arguments: wireArguments }).nullish().catch(undefined),
  })
  .transform(({ index, id, function: called }) => ({
    position: index ?? undefined,
    id: id ?? "",
    // LiteLLM writes "null" where a piece has no name.
    name: !called?.name || called.name === "null" ? "" : called.name,
    arguments: called?.arguments ?? "",
  }))
  .catch({ position: undefined, id: "", name: "", arguments: "" });
export type WireCall = z.output<typeof wireCall>;

/** Text Generation Inference 2 and 3 stream one call as it is, not in a list. */
export const wireCalls = z
  .union([z.array(wireCall), wireCall.transform((call) => [call])])
  .nullish()
  .catch(undefined)
  .transform((calls) => calls ?? []);
