import * as z from "zod";
import { onFirstUse } from "../../../platform/on-first-use.ts";

/** What a server says about a failure. */
export interface ServerWords {
  /** Empty when the server says nothing, or sends a page for people. */
  readonly message: string;
  /** Its codes and types, such as `context_length_exceeded invalid_request_error`. */
  readonly codes: string;
  /** The status that its body has. */
  readonly status: number | undefined;
  /** The part of the request that it names. */
  readonly param: string | undefined;
  /** As llama.cpp counts them. */
  readonly promptTokens: number | undefined;
  readonly contextTokens: number | undefined;
}

const wireError = onFirstUse(() => {
  const text = z.string().optional().catch(undefined);
  const count = z.int().positive().optional().catch(undefined);
  const code = z.union([z.string(), z.number()]).optional().catch(undefined);
  return z.looseObject({
    ...{ message: text, msg: text, type: text, param: text },
    ...{ code, status: code, n_prompt_tokens: count, n_ctx: count },
  });
});

/** FastAPI's problems; `input`, which repeats the request, is left out. */
const wireIssues = onFirstUse(() =>
  z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })).min(1),
);

/** Errors are nested in this many members at most (OpenRouter quotes the body of a provider in `metadata.raw`). */
const maxDepth = 4;

const nothing: ServerWords = {
  message: "",
  codes: "",
  status: undefined,
  param: undefined,
  promptTokens: undefined,
  contextTokens: undefined,
};

const join = (...texts: readonly (string | undefined)[]): string => texts.filter(Boolean).join(" ");

/** The words that surround others, and those. */
const merge = (outer: ServerWords, inner: ServerWords): ServerWords => ({
  message: join(outer.message, inner.message),
  codes: join(outer.codes, inner.codes),
  status: inner.status ?? outer.status,
  param: inner.param ?? outer.param,
  promptTokens: inner.promptTokens ?? outer.promptTokens,
  contextTokens: inner.contextTokens ?? outer.contextTokens,
});

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= 400 && value < 600;

const ownWords = (value: unknown): ServerWords => {
  const { data } = wireError().safeParse(value);
  if (!data) return nothing;
  const { message, msg, code, type, status, param } = data;
  const named = [code, status].filter((each) => typeof each === "string" && !/^\d+$/.test(each));
  return {
    message: message ?? msg ?? "",
    codes: join(...named.map(String), type),
    status: [code, status].map(Number).find(isStatus),
    param: param || undefined,
    promptTokens: data.n_prompt_tokens,
    contextTokens: data.n_ctx,
  };
};

const fieldOf = (loc: readonly (string | number)[]): string | undefined => {
  const [first, second] = loc.filter((part) => typeof part === "string");
  return first === "body" ? second : first;
};

const wordsIn = (value: unknown, depth = 0): ServerWords => {
  if (depth > maxDepth || value == null) return nothing;
  if (typeof value === "string") return { ...nothing, message: value };
  const { data: issues } = wireIssues().safeParse(value);
  if (issues) {
    const message = issues.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
    return { ...nothing, message, param: issues.map(({ loc }) => fieldOf(loc)).find(Boolean) };
  }
  if (Array.isArray(value)) return wordsIn(value[0], depth + 1);
  if (typeof value !== "object") return nothing;
  const nested = ["error", "detail", "errors", "innererror", "metadata", "raw"].map((name) => {
    const member: unknown = Reflect.get(value, name);
    return wordsIn(
      name === "raw" && typeof member === "string" ? (parse(member) ?? member) : member,
      depth + 1,
    );
  });
  return nested.reduce(merge, ownWords(value));
};

/** Whether a body is a page for people, as proxies and login pages send it. */
export const isPage = (body: string): boolean =>
  /^[\s\ufeff]*<(?:!doctype|\?xml|!--|html|head|body)/i.test(body);

/** A body as JSON, or as text. */
export const jsonOrText = (body: string): unknown => parse(body) ?? body;

/** Reads the body of a failure in the forms of OpenAI, vLLM, llama.cpp, Ollama, FastAPI, OpenRouter and others. */
export const readWords = (body: string): ServerWords => {
  if (isPage(body)) return nothing;
  return wordsIn(jsonOrText(body));
};

/** The same for a body that is parsed. */
export const readWireWords = (wire: unknown): ServerWords =>
  typeof wire === "string" && isPage(wire) ? nothing : wordsIn(wire);

/** How much of a server's words the log has. */
const maxExcerptLength = 300;
/** What words share with a request in this many characters in a row may be what a person wrote. */
const runLength = 12;

const stringsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
};

/**
 * The start of a server's words for the log, without any twelve characters in a row that are also in what was sent.
 *
 * @param sent texts of the request; JSON is searched as it is and by its strings.
 */
export const excerptOf = (words: string, sent: readonly string[]): string => {
  const start = words.slice(0, 2 * maxExcerptLength);
  const texts = sent.flatMap((each) => [each, ...stringsIn(parse(each))]);
  const isQuoted = (from: number): boolean => {
    const run = start.slice(from, from + runLength);
    return run.length === runLength && texts.some((each) => each.includes(run));
  };
  let excerpt = "";
  let quotedTo = 0;
  for (let index = 0; index < start.length; index += 1) {
    if (isQuoted(index)) {
      if (index >= quotedTo) excerpt += "…";
      quotedTo = index + runLength;
    }
    if (index >= quotedTo) excerpt += start[index];
  }
  return excerpt.slice(0, maxExcerptLength);
};
