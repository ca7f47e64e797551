/** The formats of strings that the flags of gettext name, without `-format`. */
export type PlaceholderGrammar = keyof typeof grammars;

const flags = "[-+ #0']*";
const width = String.raw`(?:\*(?:\d+\$)?|\d+)?(?:\.(?:\*(?:\d+\$)?|\d+)?)?`;
const size = "(?:hh|h|ll|l|q|j|z|t|L)?";

const c = String.raw`%(?:\d+\$)?${flags}${width}${size}(?:[diouxXeEfFgGaAcsCSpnm%]|<PRI\w+>)`;
const braces = String.raw`\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}`;

/** What each of them replaces in a string. */
const grammars = {
  c,
  objc: String.raw`${c}|%(?:\d+\$)?@`,
  perl: String.raw`%(?:\d+\$)?${flags}v?${width}${size}[a-zA-Z%]`,
  python: String.raw`%(?:\([^)\n]*\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?[diouxXeEfFgGcrsa%]`,
  "python-brace": braces,
  "c++": braces,
  sh: String.raw`\$(?:\{\w+\}|[A-Za-z_]\w*)`,
  awk: c,
  lua: c,
  tcl: c,
  elisp: c,
  librep: c,
  lisp: String.raw`~(?:-?\d+|'.|[,:@])*[^\s\d,:@]`,
  scheme: String.raw`~(?:-?\d+|'.|[,:@])*[^\s\d,:@]`,
  smalltalk: String.raw`%[\d%]`,
  ycp: "%[1-9%]",
  "object-pascal": String.raw`%(?:\d+:)?-?(?:\*|\d+)?(?:\.(?:\*|\d+))?[duefgnmpsxDUEFGNMPSX%]`,
  "gcc-internal": String.raw`%[-+q]*\d*(?:\.\d+)?${size}w?[a-zA-Z<>'%]`,
  "gfc-internal": String.raw`%(?:\d+\$)?l?[a-zA-Z<>'%]`,
  "perl-brace": String.raw`\{[A-Za-z_]\w*\}`,
  csharp: braces,
  php: String.raw`%(?:\d+\$)?(?:[-+ 0]|'.)*\d*(?:\.\d+)?[bcdeEfFgGosuxX%]`,
  javascript: String.raw`%(?:\d+\$)?(?:[-+ 0]|'.)*\d*(?:\.\d+)?[bcdeEfFgGioOsuxXj%]`,
  "java-printf": String.raw`%(?:\d+\$|<)?[-#+ 0,(]*\d*(?:\.\d+)?(?:[tT][a-zA-Z]|[a-zA-Z%])`,
  java: String.raw`\{\d+[^{}]*\}`,
  ruby: String.raw`%<\w+>${flags}\d*(?:\.\d+)?[a-zA-Z]|%\{\w+\}|${c}`,
  qt: String.raw`%L?\d{1,2}`,
  "qt-plural": "%L?n",
  kde: String.raw`%\d{1,2}`,
  boost: String.raw`%\d+%|%\|[^|\n]*\|${flags}|%%|%(?:\d+\$)?${flags}${width}${size}[a-zA-Z]`,
} as const satisfies Record<string, string>;

/** Whether a name is that of a format of strings. */
export const isGrammar = (name: string): name is PlaceholderGrammar => Object.hasOwn(grammars, name);

/** Those of all grammars in a text that names none: a percent sign after a number is one of a text. */
const anyGrammar = [
  String.raw`%\([A-Za-z_]\w*\)[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]`,
  String.raw`%<[A-Za-z_]\w*>[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|%\{[^{}\n]*\}`,
  String.raw`%\d+\$[-+#0']*\d*(?:\.\d+)?${size}[sdiuboxXeEfFgGcpra@]`,
  String.raw`%[-+#0']*\d*(?:\.\d+)?${size}[sdiufFeEgGxXocprn@](?![\p{L}\d])`,
  String.raw`(?<!\d\s?)%[-+#0']*\d*(?:\.\d+)?(?:ll?|z)?[sdiuf@](?=\p{L})`,
  String.raw`(?<!\d)%\d{1,2}%|%L\d{1,2}|%%`,
  String.raw`(?<![\w%])%\d+(?![\d\p{L}%])`,
  String.raw`(?<!\d\s?)%[A-Z][A-Z\d_]{2,}\b%?`,
  // Dates and times, as strftime writes them.
  String.raw`(?<!\d\s?)%[-_^#0]?[aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ](?![\p{L}\d])`,
].join("|");

/** Those of templates, Ruby, Laravel, i18next, Vue and browsers, and addresses. */
const inAllTexts = [
  String.raw`\$\{[^{}\n]*\}|\$t\([^()\n]*\)|\$[A-Z][A-Z\d_]*\$`,
  String.raw`(?<!\w)__[A-Za-z]\w*?__(?!\w)|@(?:\.\w+)?:(?:\([\w.-]+\)|[\w-]+(?:\.[\w-]+)*)`,
  String.raw`(?<![\w:/]):[a-z_][a-zA-Z0-9_]*\b:?`,
  // Tags in texts of apps, which are no markup of their format.
  String.raw`</?[A-Za-z][\w:.-]*\s*/?>|<[A-Za-z][\w:.-]*\s[^<>=\n]{0,100}=[^<>\n]{0,500}>|</?\d{1,9}\s?/?>`,
  String.raw`https?://[^\s<>"'\u0060]*[^\s<>"'\u0060.,;:!?)\]}]`,
  String.raw`(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
].join("|");

const compiled = new Map<string, RegExp>();

const patternOf = (named: readonly PlaceholderGrammar[]): RegExp => {
  const key = named.join();
  const known = compiled.get(key);
  if (known) return known;
  const written = named.map((grammar) => grammars[grammar]).join("|") || anyGrammar;
  const pattern = new RegExp(`${written}|${inAllTexts}`, "gu");
  compiled.set(key, pattern);
  return pattern;
};

/** What a program replaces in a text. */
export interface FoundPlaceholder {
  readonly start: number;
  /** Excluded. */
  readonly end: number;
  /** Whether its position among others says what it is replaced with, as those of `%s and %s`. */
  readonly isPositional: boolean;
}

/** Neither a number nor a name, and not the sign itself. */
const positional = /^(?:%(?!\d+\$|\(|<|\{|L?\d{1,2}%?$|L?n$|\||.*%$).+|\{(?:[:!][^{}]*)?\}|~.+)$/u;

const placeholderAt = (text: string, start: number, end: number): FoundPlaceholder => ({
  start,
  end,
  isPositional: positional.test(text.slice(start, end)),
});

/** A message of ICU or a template may be this long; a longer one is text. */
const maxBraces = 2_000;

/** What all of them have in them, and most texts have not. */
const placeholderMark = /[%{}$@<:~]|__/;

/** Returns the ranges of braces that close, nested ones included. */
const findBraces = (text: string): FoundPlaceholder[] => {
  const found: FoundPlaceholder[] = [];
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === "{") open.push(index);
    const start = brace === "}" ? open.pop() : undefined;
    if (start !== undefined && index - start < maxBraces) found.push(placeholderAt(text, start, index + 1));
  }
  return found;
};

/**
 * Finds what programs replace in a text: `{name}`, `{{name}}`, ICU messages, `${name}`, `%s`, `%(name)s`, `:name`; and addresses of
 * the web and of mail. A model must not translate them.
 *
 * @param named how the text writes them, if it says so; by default those of all grammars are found.
 * @returns them in order, without overlaps.
 */
export const findPlaceholders = (
  text: string,
  named: readonly PlaceholderGrammar[] = [],
): readonly FoundPlaceholder[] => {
  if (!placeholderMark.test(text)) return [];
  const others = Array.from(text.matchAll(patternOf(named)), ({ index, 0: written }) =>
    placeholderAt(text, index, index + written.length),
  );
  const sorted = [...findBraces(text), ...others].toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  );
  const found: FoundPlaceholder[] = [];
  for (const placeholder of sorted)
    if (placeholder.start >= (found.at(-1)?.end ?? 0)) found.push(placeholder);
  return found;
};

/** Returns what a program makes of a text: what it replaces, and the signs that would be errors. Those with numbers may move. */
export const replacedIn = (text: string, grammar: PlaceholderGrammar): string => {
  const pattern = new RegExp(grammars[grammar], "gu");
  const found = text.match(pattern) ?? [];
  const sign = /^(?:%|~|\\\$)/.exec(grammars[grammar])?.[0] ?? "[{}]";
  const stray = text.replaceAll(pattern, "").match(new RegExp(sign, "g")) ?? [];
  return JSON.stringify([found.toSorted(), stray.length]);
};
