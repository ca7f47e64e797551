import * as z from "zod";
import {
  type EngineParameters,
  engineParameters,
  reasoningEfforts,
} from "../../../shared/models/inference/chat.ts";
import { otherKinds, text, unknownMembers, unsupported } from "../../../shared/platform/validation/fields.ts";

/** What the two chat routes on `/v1` have in common: tools, response formats, and fields without effect. */

const deepestSchema = 100;

/** Code that recurses into a value runs out of stack after some thousand levels. */
const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)));

const maxReferences = 200;

/** References multiply: a server that resolves thousands of them works for minutes on a schema of some kilobytes. */
const countReferences = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.entries(value).reduce(
        (sum, [name, member]) => sum + (name === "$ref" ? 1 : countReferences(member)),
        0,
      )
    : 0;

export const jsonSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => !isDeeperThan(deepestSchema, schema), {
    error: "Value error, a schema must not have more than 100 levels",
    params: { type: "value_error" },
    abort: true,
  })
  .refine((schema) => countReferences(schema) <= maxReferences, {
    error: "Value error, a schema must not have more than 200 references",
    params: { type: "value_error" },
  })
  .meta({ id: "JsonSchema", description: "A JSON Schema" });

const engineText = (what: string): string => `${what}; refused where the model's server does not know it`;

const nameText = "1 to 64 letters, digits, `_`, `-` or `.`";
const nameOf = (what: string) =>
  z
    .string()
    .regex(/^[\w.-]{1,64}$/, { error: `the name of a ${what} must have ${nameText}` })
    .describe(nameText);

export const toolName = nameOf("tool");

/** The documentation of the fields of tools and response formats, in requests and responses. */
export const toolTexts = {
  type: "Tools are always of type `function`",
  description: "When and how the model should use it",
  parameters: "The JSON Schema of its arguments",
  strict: "Whether the model's server should enforce the schema",
  callId: "The id of the call, which its result repeats",
  arguments: "The arguments as JSON, as the model wrote them: validate them before use",
  format: "`text`, or JSON: any object, or one that matches a schema",
} as const;

/** A function that a model may call, as both routes declare it. */
export const toolFunction = z.object({
  name: toolName,
  description: text().nullish().describe(toolTexts.description),
  parameters: jsonSchema.nullish().meta({ description: toolTexts.parameters }),
  strict: z.boolean().nullish().describe(toolTexts.strict),
});

export const maxTools = 128;

/** A tool, a choice of one or a call of one; any type other than `function` is refused. */
export const ofFunction = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.discriminatedUnion(
    "type",
    [z.strictObject({ type: z.literal("function").describe(toolTexts.type), ...shape }, unknownMembers)],
    otherKinds("Only tools of type `function` are supported."),
  );

/** A response format by JSON Schema, as both routes declare it. */
export const namedSchema = z.object({
  name: nameOf("schema"),
  description: text().nullish().describe("What the reply is for, for the model"),
  schema: jsonSchema.nullish().describe("The JSON Schema of the reply"),
  strict: z.boolean().nullish().describe(toolTexts.strict),
});

export const toolChoiceWord = z.enum(["auto", "none", "required"]);

/** The documentation of a choice of tools. */
export const toolChoiceText =
  "Whether the model decides (`auto`), calls none, must call one (`required`), or must call the named function";

/** Whether the model may call several tools in one reply. */
export const parallelToolCalls = z.boolean().nullish().describe("Whether a reply may call several tools");
/** The functions that the model may call. */
export const toolsText = "The functions that the model may call";

/** The documentation of fields that are accepted for clients that send them. */
export const noEffect = "Accepted without effect";

/** Of a conversation on `/v1`: what engines know beyond the OpenAI API. */
export const engineFields = z.object({
  top_k: z.int().min(-1).nullish().describe(engineText("Only as many of the most likely words")),
  min_p: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe(engineText("Only words with this share of the most likely one's probability")),
  repetition_penalty: z
    .number()
    .gt(0)
    .max(2)
    .nullish()
    .describe(engineText("Makes repeated words less likely, above 1")),
  chat_template_kwargs: jsonSchema
    .nullish()
    .meta({ description: engineText("Members for the model's template") }),
  enable_thinking: z.boolean().nullish().describe(engineText("Whether the model thinks before it replies")),
});

/** The parameters that were sent, as the model's server gets them; `undefined` when there are none. */
export const engineParametersIn = (request: z.output<typeof engineFields>): EngineParameters | undefined => {
  const sent = engineParameters
    .map((name) => [name, request[name]] as const)
    .filter(([, value]) => value !== null && value !== undefined);
  return sent.length > 0 ? Object.fromEntries(sent) : undefined;
};

/** Accepted without effect: identification of users, and OpenAI's billing and caching. */
export const withoutEffect = z.object({
  user: z.string().nullish().describe(noEffect),
  safety_identifier: z.string().nullish().describe(noEffect),
  metadata: z.record(z.string(), z.string()).nullish().describe(noEffect),
  prompt_cache_key: z.string().nullish().describe(noEffect),
  prompt_cache_retention: z.string().nullish().describe(noEffect),
  prompt_cache_options: z.unknown().optional().describe(noEffect),
  service_tier: z.string().nullish().describe(noEffect),
});

/** A field that may only be null. @param sentence why any other value is refused. */
export const onlyNull = (sentence: string) =>
  z.null(unsupported(sentence)).optional().describe(`Only null. ${sentence}`);

/** What filters replies: nothing here does. */
export const moderation = onlyNull("Moderation is not supported.");

/** A field that has one value. @param sentence why any other one is refused. */
export const only = <const Value extends string | number | boolean>(value: Value, sentence: string) =>
  z.literal(value, unsupported(sentence)).nullish().describe(sentence);

export const notStored = only(false, "Responses are not stored: omit `store`, or send `store: false`.");

export const noLogprobs = only(0, "Log probabilities are not supported.");

/** How long replies should be: a preference, which no server behind the service knows. */
export const verbosity = z.enum(["low", "medium", "high"]).nullish().describe(noEffect);

export const reasoningEffort = z.enum(reasoningEfforts).nullish().describe("How long the model may think");
/**
 * A part of a message. Parts other than text are refused by their path. Members that are not known have no effect, as in all of a
 * conversation: clients send replies of any model back with what came with them.
 */
export const textPartOf = <const Type extends string>(types: readonly [Type, ...Type[]]) =>
  z.discriminatedUnion(
    "type",
    [
      z.object({
        type: z.enum(types).describe("Only text is supported"),
        text: z.string().describe("A part of the message's text; the parts are joined"),
      }),
      z
        .object({
          type: z.literal("refusal").describe("Only text is supported"),
          refusal: z.string().describe("An earlier refusal, which counts as text"),
        })
        .transform(({ refusal }) => ({ text: refusal })),
    ],
    otherKinds("Only text is supported, not images, audio or files."),
  );

/** The error for content that is neither a text nor a list of text parts. */
export const notContent = { error: "content should be a text or a list of text parts" };

/** Joins a text that was sent whole or in parts. */
export const joinParts = (content: string | readonly { readonly text: string }[]): string =>
  typeof content === "string" ? content : content.map((part) => part.text).join("");
