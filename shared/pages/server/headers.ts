import type { Page } from "./define-page.ts";

export type ReachedOrigins = Readonly<Record<NonNullable<Page["reaches"]>[number], readonly string[]>>;

type Reaching = Pick<Page, "reaches" | "usesMicrophone">;

/** Allows our own files and the origins that the page's scripts need, and nothing inline. */
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

/** The headers of all responses. Files have no others: pages load several, and a slow network takes 50 ms for a kilobyte. */
export const commonHeaders = (baseUrl: string): Record<string, string> => ({
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  ...(baseUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
});

/**
 * The headers of pages. `Referrer-Policy` keeps the token of an emailed link from other sites;
 * `no-referrer` would remove the `Origin` from our own forms.
 */
export const pageHeaders = (
  page: Reaching,
  { origins }: { readonly origins: ReachedOrigins },
): Record<string, string> => ({
  "Content-Security-Policy": contentSecurityPolicy(page, origins),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": `camera=(), geolocation=(), microphone=(${page.usesMicrophone ? "self" : ""})`,
  "Referrer-Policy": "same-origin",
  "X-Frame-Options": "DENY",
});
