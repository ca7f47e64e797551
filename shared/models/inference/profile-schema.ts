import * as z from "zod";
import { engineParameters } from "./chat.ts";
import { type Placeholder, placeholderPattern, placeholders } from "./translation.ts";

const languageCode = z.string({ error: "must be a code of ISO 639-3, such as lug" });

const text = z.string({ error: "must be a text" }).min(1, { error: "must not be empty" });
const flag = z.boolean({ error: "must be true or false" });
const countFrom = (min: number) =>
  z.int({ error: `must be a whole number from ${min}` }).min(min, { error: `must be ${min} or more` });

const listFrom = <const Item extends string>(items: readonly Item[]) => {
  const error = `must be a list of ${items.join(", ")}`;
  return z.array(z.enum(items, { error }), { error });
};

const languageNames = ["iso639-1", "iso639-3", "names"] as const;

/** How a server names languages, or its name for each language of its model by ISO 639-3 code: it knows no others then. */
const codesOf = <const Name extends string>(names: readonly Name[]) =>
  z.union([z.enum(names), z.record(languageCode, text)], {
    error: `must be ${names.join(", ")}, or an object with the model's code of each language`,
  });

const languageCodes = codesOf(languageNames).default("iso639-1");

/** The same for servers that also may get no language. */
const optionalLanguageCodes = codesOf([...languageNames, "none"]).default("iso639-1");
export type LanguageCodes = z.output<typeof optionalLanguageCodes>;

/** The languages that a model serves, by their ISO 639-3 codes; by default all. */
const languages = z
  .array(languageCode, { error: "must be a list of codes of ISO 639-3" })
  .min(1, { error: "must name a language" })
  .optional();

/** @param required the placeholder without which a template makes no sense. */
const template = (required?: Placeholder) =>
  text.superRefine((value, context) => {
    const used = [...value.matchAll(placeholderPattern)].map(([, name = ""]) => name);
    const known: readonly string[] = placeholders;
    const unknown = used.find((name) => !known.includes(name));
    const listed = placeholders.map((name) => `{${name}}`).join(", ");
    if (unknown) context.addIssue(`has the unknown placeholder {${unknown}}; there are ${listed}`);
    if (required && !used.includes(required)) context.addIssue(`must have {${required}}`);
  });

const defaultInstruction = "Translate from {source} to {target}: {text}";
const defaultInstructionWithoutSource = "Translate to {target}: {text}";

const namesSource = (value: string): boolean => /\{source(?:_code)?\}/.test(value);

/** What the models of chat and of translation have in common. */
const completion = {
  /** The tokens that a request and its reply may have together; by default as the server says. */
  context_tokens: countFrom(256).optional(),
  /** What the server calls the limit of a reply. */
  max_tokens_parameter: z
    .enum(["max_tokens", "max_completion_tokens"], { error: "must be max_tokens or max_completion_tokens" })
    .default("max_tokens"),
  /** Whether replies start inside a thought and mark only its end. */
  thinks_first: flag.default(false),
};

const chat = z.strictObject({
  ...completion,
  /** `null` if the model refuses one; otherwise callers choose it. */
  temperature: z
    .null({ error: "must be null, or missing: callers choose the temperature of chat" })
    .optional(),
  /** What callers may send that the OpenAI API has not; the rest is refused by its name. */
  parameters: listFrom(engineParameters).default([]),
});

/** Whether replies are checked for being translations. */
const judged = flag.default(true);

const promptedTranslation = z
  .strictObject({
    ...completion,
    dialect: z.literal("openai").default("openai"),
    language_codes: languageCodes,
    /** `null` for models that know no system message. */
    system: text.nullable().default("You are a translation engine. Reply with the translation only."),
    instruction: template("text").optional(),
    /** For texts whose language is not known. */
    instruction_without_source: template("text")
      .refine((value) => !namesSource(value), { error: "must not name the source" })
      .optional(),
    /** `null` if the model refuses one. */
    temperature: z
      .number({ error: "must be a number from 0 to 2, or null" })
      .min(0, { error: "must be 0 or more" })
      .max(2, { error: "must be 2 or less" })
      .nullable()
      .default(0.3),
    judged,
  })
  .superRefine(({ instruction, instruction_without_source: without }, context) => {
    if (!instruction || !namesSource(instruction) || without) return;
    const message = "must be given too, because instruction names the source";
    context.addIssue({ code: "custom", path: ["instruction_without_source"], message });
  })
  .transform(({ instruction, instruction_without_source: without, ...others }) => ({
    ...others,
    instruction: instruction ?? defaultInstruction,
    instruction_without_source: without ?? instruction ?? defaultInstructionWithoutSource,
  }));
export type PromptedTranslation = z.output<typeof promptedTranslation>;

const directTranslation = z.strictObject({
  dialect: z.literal("libretranslate"),
  language_codes: languageCodes,
  judged,
});
export type DirectTranslation = z.output<typeof directTranslation>;

const translation = z.discriminatedUnion("dialect", [promptedTranslation, directTranslation], {
  error: (issue) =>
    issue.code === "invalid_union" ? "must be openai or libretranslate" : "must be an object of members",
});

const transcription = z.strictObject({
  language_codes: optionalLanguageCodes,
  languages,
  /** Whether the server distinguishes speakers; what is not said here, a process learns from replies. */
  diarizes: flag.optional(),
  /** Whether the server detects the language. */
  detects: flag.optional(),
  /** Whether segments have `avg_logprob`, or words a probability; what is not said here, a process learns from replies. */
  log_probabilities: flag.optional(),
  /** Whether the server takes a prompt. */
  prompt: flag.optional(),
});

const speech = z.strictObject({
  languages,
  /** Whether the server starts to send before it has spoken the whole text, with `"stream": true`. */
  streams: flag.optional(),
  /** How many characters a request may have; longer texts are spoken in pieces. */
  max_characters: countFrom(1).optional(),
  /** In hertz, of audio without a header. */
  sample_rate: countFrom(8_000).optional(),
  /** The formats that the server makes; the service makes the others from `wav` or `pcm`. */
  formats: listFrom(["wav", "pcm", "mp3", "opus", "flac", "aac"])
    .refine((formats) => formats.includes("wav") || formats.includes("pcm"), {
      error: "must have wav or pcm, from which the service makes the others",
    })
    .optional(),
});

/**
 * What a model expects, by task, as in a file of profiles. What a profile does not mention is as most models have it.
 */
export const profileSchema = z.strictObject(
  {
    chat: chat.prefault({}),
    translation: translation.prefault({}),
    transcription: transcription.prefault({}),
    speech: speech.prefault({}),
  },
  { error: "must be an object with chat, translation, transcription or speech" },
);
export type ModelProfile = z.output<typeof profileSchema>;
/** A profile before its defaults are filled in. */
export type GivenProfile = z.input<typeof profileSchema>;
