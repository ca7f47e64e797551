/** Whether a client would rather have a page than JSON: browsers name `text/html`, programs do not. */
export const wantsPage = (accept: string | undefined): boolean => /\btext\/html\b/i.test(accept ?? "");

/** Escapes a text for HTML elements and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
