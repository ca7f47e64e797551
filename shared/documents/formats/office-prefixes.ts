/** The vocabularies of files of Office, of which programs choose the prefixes, and the usual ones. */
const vocabularies: readonly (readonly [RegExp, string])[] = [
  [/\/wordprocessingml(?:\/2006)?\/main$/, "w"],
  [/\/drawingml(?:\/2006)?\/main$/, "a"],
  [/\/drawingml(?:\/2006)?\/chart$/, "c"],
  [/\/chartex$/, "cx"],
  [/\/presentationml(?:\/2006)?\/main$/, "p"],
  [/^urn:schemas-microsoft-com:vml$/, "v"],
  [/^http:\/\/purl\.org\/dc\/elements\/1\.1\/$/, "dc"],
  [/^urn:oasis:names:tc:opendocument:xmlns:text:1\.0$/, "text"],
  [/^urn:oasis:names:tc:opendocument:xmlns:style:1\.0$/, "style"],
  [/^urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1\.0$/, "fo"],
  [/^urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1\.0$/, "svg"],
];

/** Returns a part with the usual prefixes of what is read, such as `w:p`, where a program has written it as `ns0:p`. */
export const withUsualPrefixes = (source: string): string => {
  const declared = new Map(
    Array.from(source.matchAll(/\sxmlns:([\w.-]+)\s*=\s*["']([^"']*)["']/g), ([, prefix = "", name = ""]) => [
      prefix,
      name,
    ]),
  );
  let written = source;
  for (const [prefix, name] of declared) {
    const usual = vocabularies.find(([pattern]) => pattern.test(name))?.[1];
    if (usual === undefined || usual === prefix || declared.has(usual)) continue;
    written = written.replaceAll(/<[^<>]*>/g, (tag) =>
      tag
        .replaceAll(new RegExp(`(^</?|\\s)${prefix}:`, "g"), `$1${usual}:`)
        .replaceAll(new RegExp(`(\\sxmlns:)${prefix}(?=\\s*=)`, "g"), `$1${usual}`),
    );
  }
  return written;
};
