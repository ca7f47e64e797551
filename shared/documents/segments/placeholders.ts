/** Single placeholders: of C, Python, templates, Ruby and Laravel, and addresses. Braces are read by {@link findBraces}. */
const placeholder = new RegExp(
  [
    String.raw`\$\{[^{}\n]*\}`,
    String.raw`%\([A-Za-z_]\w*\)[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]`,
    String.raw`%(?:\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t|L)?[sdiufFeEgGxXocp@](?![\p{L}\d])`,
    String.raw`%\d+(?![\d\p{L}%])(?=[\s.,;:!?)]|$)(?<=\s%\d+|^%\d+)`,
    String.raw`(?<![\w:/]):[a-z_][a-zA-Z0-9_]*\b:?`,
    // Tags in texts of apps, which are no markup of their format.
    String.raw`</?[A-Za-z][^<>\n]{0,500}>|</?\d{1,9}\s?/?>`,
    String.raw`https?://[^\s<>"'\u0060]*[^\s<>"'\u0060.,;:!?)\]}]`,
    String.raw`(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  ].join("|"),
  "gu",
);

/** A message of ICU or a template may be this long; a longer one is text. */
const maxBraces = 2_000;

/** Returns the ranges of braces that close, nested ones included. */
const findBraces = (text: string): [number, number][] => {
  const found: [number, number][] = [];
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === "{") open.push(index);
    const start = brace === "}" ? open.pop() : undefined;
    if (start !== undefined && index - start < maxBraces) found.push([start, index + 1]);
  }
  return found;
};

/**
 * Finds what programs replace in a text: `{name}`, `{{name}}`, ICU messages, `${name}`, `%s`, `%(name)s`, `:name`; and addresses of
 * the web and of mail. A model must not translate them.
 *
 * @returns their ranges in order, without overlaps.
 */
export const findPlaceholders = (text: string): readonly (readonly [number, number])[] => {
  const others = Array.from(text.matchAll(placeholder), (match): [number, number] => [
    match.index,
    match.index + match[0].length,
  ]);
  const sorted = [...findBraces(text), ...others].toSorted(
    (one, other) => one[0] - other[0] || other[1] - one[1],
  );
  const found: [number, number][] = [];
  for (const range of sorted) if (range[0] >= (found.at(-1)?.[1] ?? 0)) found.push(range);
  return found;
};
