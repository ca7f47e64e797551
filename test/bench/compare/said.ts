/** What a response says to its caller, in a form in which responses of several gateways can be compared. */
import * as z from "zod";

const usage = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });

const completion = z.object({
  object: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({ role: z.string(), content: z.string() }),
      finish_reason: z.string(),
    }),
  ),
  usage,
});

/** The fields of a whole response that every gateway must pass on; ids, times and a gateway's own fields are left out. */
export const saidWhole = (body: string): unknown => completion.parse(JSON.parse(body));

const chunk = z.object({
  object: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      delta: z.object({ role: z.string().nullish(), content: z.string().nullish() }),
      finish_reason: z.string().nullish(),
    }),
  ),
});

/** The texts of a stream one by one, and why it ended. Chunks without either, such as those with counts, are left out. */
export const saidInStream = (body: string): unknown => {
  const events = body.split("\n\n").filter((event) => event.startsWith("data: {"));
  const choices = events.flatMap((event) => chunk.parse(JSON.parse(event.slice("data: ".length))).choices);
  return {
    texts: choices.flatMap(({ delta }) => delta.content || []),
    ends: choices.flatMap(({ finish_reason }) => finish_reason ?? []),
  };
};
