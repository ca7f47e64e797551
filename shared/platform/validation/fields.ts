import * as z from "zod";

/** The prefix of messages about unsupported values; other messages are about malformed ones. */
const unsupportedMark = "unsupported: ";

/**
 * The error of a schema on routes where nothing that changes the result may be ignored: a value that does not match
 * is refused with 400 and its name, and not with 422.
 *
 * @param sentence the message for the caller.
 */
export const unsupported = (sentence: string) => ({ error: `${unsupportedMark}${sentence}` });

/** An unknown member's name is repeated to the caller up to this length. */
const maxNameLength = 64;

/**
 * For `z.strictObject`: a member that is not known might change the result, so it is refused like an unsupported one. The
 * sentence names it, because many clients show their user nothing but the sentence.
 */
export const unknownMembers = {
  error: ({
    code,
    keys: [name = ""] = [],
  }: {
    readonly code?: string | undefined;
    readonly keys?: string[];
  }) =>
    code === "unrecognized_keys"
      ? `${unsupportedMark}The parameter '${name.slice(0, maxNameLength).toWellFormed()}' is not known here.`
      : undefined,
};

/** For a union by the kind of its members: another kind is refused like an unsupported value. */
export const otherKinds = (sentence: string) => ({
  error: ({ code }: { readonly code?: string | undefined }) =>
    code === "invalid_union" ? `${unsupportedMark}${sentence}` : undefined,
});

/** The sentence of an issue that {@link unsupported} describes; `undefined` for a mistake in the request's form. */
export const readUnsupported = (message: string): string | undefined =>
  message.startsWith(unsupportedMark) ? message.slice(unsupportedMark.length) : undefined;

/**
 * A string that can be stored and sent on: a lone surrogate (half a character, as a cut UTF-16 string leaves it)
 * cannot be written as UTF-8, so it is refused here instead of being replaced silently later.
 *
 * zod's `min` and `max` count Unicode code points, so that an emoji, or a letter of Adlam, is one character.
 */
export const text = () =>
  z.string().refine((value) => value.isWellFormed(), {
    error: "Input should be a valid string, unable to parse raw data as a unicode string",
    params: { type: "string_unicode" },
    abort: true,
  });

/** A file of a multipart form, from the body parser. */
export interface FormFile {
  readonly filename: string;
  readonly content: Buffer;
}

/** Whether a value is a file of a form: nothing that JSON can say is one. */
export const isFormFile = (value: unknown): value is FormFile =>
  typeof value === "object" &&
  value !== null &&
  "filename" in value &&
  typeof value.filename === "string" &&
  "content" in value &&
  Buffer.isBuffer(value.content);

/** What clients send for a file input left empty: browsers an empty file without a name, others an empty text. */
const isUnchosen = (value: unknown): boolean =>
  value === "" || (isFormFile(value) && value.filename === "" && value.content.length === 0);

const namedFile = z.custom<FormFile>((value) => isFormFile(value) && value.filename !== "", {
  error: "Value error, Expected one file with a file name",
  params: { type: "value_error" },
});

/** A file with a name; `undefined` when the input was left empty. Its declared type is ignored: the bytes decide. */
export const formFile = () =>
  z
    .unknown()
    .transform((value) => (isUnchosen(value) ? undefined : value))
    .pipe(namedFile.optional())
    .optional();

/** Reports a problem of a transformed value, with its Pydantic type. */
const refuse = (context: z.core.$RefinementCtx, type: string, message: string) => {
  context.issues.push({ code: "custom", input: context.value, message, params: { type } });
  return z.NEVER;
};

/** Like {@link formFile}, for a required file. */
export const requiredFormFile = () =>
  z
    .unknown()
    .transform((value, context) =>
      value === undefined || isUnchosen(value) ? refuse(context, "missing", "Field required") : value,
    )
    .pipe(namedFile);

/** In how many keywords of a recording a model finds those of a piece. It reads about thirty. */
export const maxKeywords = 200;

/** Names and terms in recordings. */
export const keywordList = (maxEntries = maxKeywords) =>
  z.array(text().trim().min(1).max(60)).max(maxEntries);

/** A field that forms may leave out or leave empty. */
export const optionalField = <Schema extends z.ZodType<unknown, string>>(schema: Schema) =>
  z
    .string()
    .transform((value) => (value === "" ? undefined : value))
    .pipe(schema.optional())
    .optional();

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

/** A number as forms write it. */
export const formNumber = () =>
  z.string().transform((value, context) => {
    const number = value.trim() === "" ? Number.NaN : Number(value);
    if (Number.isFinite(number)) return number;
    return refuse(
      context,
      "float_parsing",
      "Input should be a valid number, unable to parse string as a number",
    );
  });

/** A boolean as forms write it, in any case. */
export const formBoolean = () =>
  z
    .string()
    .transform(
      (value, context) =>
        booleans.get(value.toLowerCase()) ??
        refuse(context, "bool_parsing", "Input should be a valid boolean, unable to interpret input"),
    );

/**
 * The schema of a body with `encoding: "raw"`: the unchanged bytes, for checking a signature over them. Description and
 * example, as JSON, are for the API's documentation.
 */
export const rawBody = (description: string, example: object) =>
  z
    .custom<Uint8Array>((value) => value instanceof Uint8Array)
    .meta({ override: { type: "object" }, description, example });
