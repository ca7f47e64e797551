import * as z from "zod";
import { findVoice, type Voice } from "./voices.ts";

const voice = z.string().transform((tag, context): Voice => {
  const found = findVoice(tag);
  if (found) return found;
  context.addIssue(
    "The sample server has the voices of the service's catalogue, for example 'salt_lug_0001'.",
  );
  return z.NEVER;
});

/**
 * A request for speech, in OpenAI's shape and with the settings that speech models add to it. The settings of
 * sampling are checked and have no effect: nothing is sampled here. A language is an ISO 639-3 code or an English
 * name; without one a voice reads the text in its own.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export const speechRequest = z.looseObject({
  model: z.string(),
  input: z
    .string()
    .max(10_000)
    .regex(/\S/u, { error: "The text is empty." })
    .transform((text) => text.toWellFormed()),
  voice,
  response_format: z.string().nullish(),
  // Raw audio is what the sample server streams; a client that waits for events must learn that none come.
  stream_format: z.literal("audio", { error: "The sample server streams audio only." }).nullish(),
  language: z.string().max(100).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  repetition_penalty: z.number().gt(0).max(2).nullish(),
  max_tokens: z.int().min(1).nullish(),
  seed: z.int().nullish(),
});
