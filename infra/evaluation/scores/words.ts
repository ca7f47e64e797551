/** What Python calls white space. JavaScript's own class has one character more and five fewer. */
const space = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const spaces = new RegExp(`[${space}]+`, "gu");
const spacesAtEnds = new RegExp(`^[${space}]+|[${space}]+$`, "gu");
const severalSpaces = new RegExp(`[${space}]{2,}`, "gu");

/** The words between white space, like `str.split()` in Python. */
export const splitAtSpaces = (text: string): string[] => text.split(spaces).filter((word) => word !== "");

/** The text without white space at its ends, like `str.strip()` in Python. */
export const strip = (text: string): string => text.replaceAll(spacesAtEnds, "");

/** The text with one space where it has several. A single tab stays a tab, as in jiwer. */
export const joinSpaces = (text: string): string => text.replaceAll(severalSpaces, " ");

/** The characters of a text, by code point. */
export const codePointsOf = (text: string): string[] => Array.from(text);
