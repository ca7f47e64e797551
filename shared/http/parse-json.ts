import { invalidField } from "../platform/errors/app-error.ts";

/**
 * The most values that a JSON body may have, counted at every depth. No valid request comes near it; without it, a
 * body can hold hundreds of thousands of wrong elements, and what validation notes about each of them fills the
 * function's memory.
 */
export const maxValues = 20_000;

const quotationMark = '"'.charCodeAt(0);
const backslash = "\\".charCodeAt(0);
const comma = ",".charCodeAt(0);
const openBracket = "[".charCodeAt(0);
const openBrace = "{".charCodeAt(0);

/**
 * Whether a text has too many values, checked in one pass before anything is built from it: every value except the
 * outermost follows a comma or opens a list or object. An empty list counts twice.
 */
export const hasTooManyValues = (text: string): boolean => {
  let values = 1;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === backslash) index += 1;
      else if (character === quotationMark) isInString = false;
    } else if (character === quotationMark) {
      isInString = true;
    } else if (character === comma || character === openBracket || character === openBrace) {
      values += 1;
      if (values > maxValues) return true;
    }
  }
  return false;
};

/**
 * Whether a text may hold a key that would change objects it is copied into: such keys are written with these letters, or
 * some of them are escaped.
 */
export const mayHoldForbiddenKey = (text: string): boolean => /__proto__|constructor|\\u00[567]/.test(text);

/** The position where a text stops being JSON: V8 has it in its message, or says that the text ends. */
const positionOf = (error: unknown, text: string): number => {
  const message = String(error);
  if (message.includes("end of JSON input")) return text.length;
  return Number(/position (\d+)/.exec(message)?.[1] ?? 0);
};

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidField(["body", positionOf(error, text)], "JSON decode error", { type: "json_invalid" });
  }
};

/**
 * The value of a JSON text. The time it takes grows with the text's length and with nothing else: `JSON.parse` is given
 * no function to call for every value, and a text with too many values is not parsed at all.
 *
 * @throws ValidationError when the text is not JSON or has too many values.
 */
export const parseJsonBody = (text: string): unknown => {
  if (!hasTooManyValues(text)) return parseText(text);
  throw invalidField(["body"], `the body has more than ${maxValues} values`);
};
