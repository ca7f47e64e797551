import * as z from "zod";
import { reasoningEfforts } from "../../../shared/models/inference/chat.ts";
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

export const toolName = z
  .string()
  .regex(/^[\w.-]{1,64}$/, { error: "a tool's name must have 1 to 64 letters, digits, `_`, `-` or `.`" });

/** A function that a model may call, as both routes declare it. */
export const toolFunction = z.object({
  name: toolName,
  description: text().nullish(),
  parameters: jsonSchema.nullish().meta({ description: "The JSON Schema of its arguments" }),
  strict: z.boolean().nullish(),
});

export const maxTools = 128;

/** A tool, a choice of one or a call of one; any type other than `function` is refused. */
export const ofFunction = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.discriminatedUnion(
    "type",
    [z.strictObject({ type: z.literal("function"), ...shape }, unknownMembers)],
    otherKinds("Only tools of type `function` are supported."),
  );

/** A response format by JSON Schema, as both routes declare it. */
export const namedSchema = z.object({
  name: toolName,
  description: text().nullish(),
  schema: jsonSchema.nullish(),
  strict: z.boolean().nullish(),
});

export const toolChoiceWord = z.enum(["auto", "none", "required"]);

/** Accepted without effect: identification of users, and OpenAI's billing and caching. */
export const withoutEffect = z.object({
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
  service_tier: z.string().nullish(),
});

/** A field that may only be null. @param sentence why any other value is refused. */
export const onlyNull = (sentence: string) => z.null(unsupported(sentence)).optional();

export const notStored = z
  .literal(false, unsupported("Responses are not stored: omit `store`, or send `store: false`."))
  .nullish();

export const noLogprobs = z.literal(0, unsupported("Log probabilities are not supported.")).nullish();

export const usualVerbosity = z
  .literal(
    "medium",
    unsupported("Only `medium` is supported; say in the conversation how long the reply should be."),
  )
  .nullish();

export const reasoningEffort = z.enum(reasoningEfforts).nullish();

/** A part of a message. Parts other than text are refused by their path. */
export const textPartOf = <const Type extends string>(types: readonly [Type, ...Type[]]) =>
  z.strictObject(
    {
      type: z.enum(types, unsupported("Only text is supported, not images, audio or files.")),
      text: z.string(),
      cache_control: z.unknown().optional(),
      prompt_cache_breakpoint: z.unknown().optional(),
      annotations: z.array(z.unknown()).nullish(),
      logprobs: z.array(z.unknown()).nullish(),
    },
    unknownMembers,
  );

/** The error for content that is neither a text nor a list of text parts. */
export const notContent = { error: "content should be a text or a list of text parts" };

/** Joins a text that was sent whole or in parts. */
export const joinParts = (content: string | readonly { readonly text: string }[]): string =>
  typeof content === "string" ? content : content.map((part) => part.text).join("");
