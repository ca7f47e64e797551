import { expect } from "vitest";

/** A page as its reader gets it. */
interface SentPage {
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
}

/** What keeps other sites, and what others write, out of a page. */
export const expectGuarded = ({ path, headers, html }: SentPage): void => {
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy, path).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;/,
  );
  expect(policy, path).not.toContain("unsafe-");
  for (const rule of ["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
    expect(policy, path).toContain(rule);
  expect(Object.fromEntries(headers), path).toMatchObject({
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": expect.stringMatching(/^camera=\(\), geolocation=\(\), microphone=/),
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-request-id": expect.any(String),
  });
  expect(headers.has("access-control-allow-origin"), path).toBe(false);
  if (headers.get("content-type")?.startsWith("text/html"))
    expect(html, path).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
};

/** Every internal address that a page links to. */
export const linksIn = ({ html }: Pick<SentPage, "html">): string[] =>
  [...html.matchAll(/\s(?:href|src|action)="([^"#?]*)/g)].flatMap(([, link = ""]) =>
    link.startsWith("data:") || link === "" ? [] : [link],
  );
