/** Keys of values that programs read. */
const dataKeys = new Set(["id", "type", "key", "href", "src", "class", "className", "icon"]);

/** Words in dates: names of days, months and zones, and endings of numbers. */
export const dateWords =
  /^(?:\d+|t|z|am|pm|utc|gmt|eat|of|st|nd|rd|th|(?:mon|tues?|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?|(?:jan|febr)(?:uary)?|feb|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;

/** One word that no language has: with digits, `_` and signs, `a.b`, `camelCase`, a path, the name of a file, or `en-GB`. */
const dataWord =
  /^(?:\S*[\d_@#$\\=]\S*|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|\p{Ll}+(?:\p{Lu}\p{Ll}+)+|[.~]{0,2}\/\S*|\S*\/\S*\/\S*|\S*\.\w{2,5}|[a-z]{2,3}[-_][A-Z]{2}|--?[a-z][\w-]*|(?:rgb|hsl)a?\([^()]*\)|true|false|null|undefined)$/u;

/** How dates are written, as CLDR and Java have it: words of one letter, such as those of `dd/MM/yyyy h:mm a`. */
export const isDatePattern = (text: string): boolean => {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return (
    (words.length > 1 || (words[0]?.length ?? 0) > 1) &&
    /^[\p{L}\p{N}\s/.,:'()–-]+$/u.test(text) &&
    words.every((word) => /^([yYuMLdDEeHhKkmsSaAzZXxQqwW])\1*$/.test(word))
  );
};

/** Whether a key says that its value is for programs. */
export const isDataKey = (key: string | undefined): boolean => key !== undefined && dataKeys.has(key);

/** Whether a text is for programs: an identifier, a colour, a date, a path, an address, a locale. */
export const isData = (text: string): boolean => {
  const trimmed = text.trim();
  if (!/\p{L}/u.test(trimmed) || dataWord.test(trimmed) || isDatePattern(trimmed)) return true;
  const words = trimmed.match(/\p{L}+|\p{N}+/gu) ?? [];
  return /\d/.test(trimmed) && words.every((word) => dateWords.test(word));
};
