import type { Page } from "./define-page.ts";

/** Other origins that some pages' scripts reach. */
export type ReachedOrigins = Readonly<Record<NonNullable<Page["reaches"]>[number], readonly string[]>>;

type Reaching = Pick<Page, "reaches" | "usesMicrophone">;

/** What a page may load and reach: our own files, and by name what its scripts need. Nothing is inline. */
const contentSecurityPolicy = ({ reaches = [] }: Reaching, origins: ReachedOrigins): string => {
  const reached = reaches.flatMap((name) => origins[name]);
  const stored = reaches.includes("storage") ? origins.storage : [];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["media-src 'self' blob:", ...stored].join(" "),
    ["connect-src 'self'", ...reached].join(" "),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
};

/**
 * The headers of every page, error pages and files included. A link's secret in the address goes to nobody: other sites are not
 * told where somebody came from. (`no-referrer` would leave our own forms without an `Origin`.)
 */
export const pageHeaders = (
  page: Reaching,
  { baseUrl, origins }: { readonly baseUrl: string; readonly origins: ReachedOrigins },
): Record<string, string> => ({
  "Content-Security-Policy": contentSecurityPolicy(page, origins),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": `camera=(), geolocation=(), microphone=(${page.usesMicrophone ? "self" : ""})`,
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  ...(baseUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
});
