import * as z from "zod";
import { formBoolean, text } from "../../shared/platform/validation/fields.ts";
import { maxTextCharacters, maxTexts } from "./contract-limits.ts";

/** What the routes for clients of DeepL and of LibreTranslate have in common. */

/** A text, or several. How many and how long they may be is checked later, because those clients know 413 for that. */
export const oneOrMoreTexts = z.union([text(), z.array(text()).min(1)], {
  error: "send a text or a list of texts",
});

/** For descriptions, which bundles leave out: the first use of `Intl` must not be part of a start. */
export const textsLimit = () =>
  `At most ${maxTexts} texts, each of up to ${maxTextCharacters.toLocaleString("en")} characters`;

/** A boolean as forms write it, or as JSON has it; also `0` and `1`. */
export const flag = () =>
  z
    .union([z.boolean(), z.literal([0, 1]), z.string()])
    .transform(String)
    .pipe(formBoolean())
    .optional();

/** Whether a value requests nothing, as newer clients send for what they do not use. */
const isNothing = (value: unknown): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);

/** An object whose optional members may be `null`, and which may have others that request nothing. */
export const lenientObject = <Schema extends z.ZodObject>(schema: Schema) =>
  z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const stays = ([name, member]: [string, unknown]): boolean => {
      const known = schema.shape[name];
      return known ? member !== null || !known.safeParse(undefined).success : !isNothing(member);
    };
    return Object.fromEntries(Object.entries(value).filter(stays));
  }, schema);

/** What the documentation shows for a field that accepts several types: the one that clients should send. */
export const shownAs =
  (type: object) =>
  ({ jsonSchema }: { readonly jsonSchema: { anyOf?: unknown } }): void => {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, type);
  };

/** What the documentation shows for a {@link flag}. */
export const flagType = shownAs({ type: "boolean" });
