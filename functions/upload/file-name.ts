const longestStem = 100;
const fallback = "file";

/** The characters that matter to a path, also when they are percent-encoded, once or several times. */
const decodePathCharacters = (name: string): string => {
  for (let current = name; ; ) {
    const next = current.replaceAll(/%(25|2e|2f|5c)/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === current) return current;
    current = next;
  }
};

/**
 * Whether a file name tries to leave its folder: two dots in a row anywhere, or a slash or backslash at the start,
 * plain or percent-encoded.
 */
export const isPathTraversal = (name: string): boolean => {
  const decoded = decodePathCharacters(name);
  return decoded.includes("..") || /^[/\\]/.test(decoded);
};

/**
 * What of a file name goes into an object's key: letters and digits of any script, dots, hyphens and underscores; at
 * most 111 characters, the extension among them. Never empty.
 */
export const safeFileName = (name: string): string => {
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  const stem = name
    .slice(0, name.length - extension.length)
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, "_")
    .replaceAll(/^[\p{M}._-]+|[._-]+$/gu, "");
  const short = [...stem].slice(0, longestStem).join("");
  return (short || fallback) + extension;
};
