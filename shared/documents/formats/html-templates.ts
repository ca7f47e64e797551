/** Code of programs that write pages: PHP, ERB and EJS. */
const code = String.raw`<\?(?:php\b|=)[\s\S]*?(?:\?>|$(?![\s\S]))|<%(?:(?!<%)[\s\S]){0,20000}?%>`;

/** A shortcode of WordPress with attributes, or one that ends something. */
const shortcode = String.raw`\[[a-z][\w-]*(?:\s+[\w-]+=(?:"[^"\]]*"|'[^'\]]*'|[^\s\]"']+))+\s*\/?\](?!\()|\[\/[a-z][\w-]*\](?!\()`;

/** What a page has that is for other programs. Global. */
export const templatePattern = new RegExp(`${code}|${shortcode}`, "g");

/** Returns a page without what is for other programs, of the same length. */
export const withoutTemplates = (source: string): string =>
  /<[?%]|\[/.test(source)
    ? source.replaceAll(templatePattern, (written) => "x".repeat(written.length))
    : source;
