import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { messagePage, prefersHtml, resetForm, verificationForm } from "../../../functions/auth/pages.ts";

const pages = [
  messagePage("Thank you", "Done."),
  verificationForm("the-secret"),
  resetForm("the-secret"),
  resetForm("the-secret", true),
];

describe("A page behind a mailed link", () => {
  it.each(pages)(
    "has no script and allows none, and its style is the one that is allowed",
    ({ body, headers }) => {
      const policy = headers["Content-Security-Policy"] ?? "";
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(policy).toContain("form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
      expect(body).not.toMatch(/<script|\son\w+=|style="|https?:/i);
      const style = /<style>(.*)<\/style>/s.exec(String(body))?.[1] ?? "";
      expect(policy).toContain(createHash("sha256").update(style).digest("base64"));
      expect(headers["Referrer-Policy"]).toBe("no-referrer");
      expect(headers["X-Frame-Options"]).toBe("DENY");
    },
  );

  it("makes no markup of what a link has as its secret", () => {
    for (const { body } of [verificationForm(`"><b>&`), resetForm(`"><b>&`)]) {
      expect(body).toContain('value="&quot;&gt;&lt;b&gt;&amp;"');
    }
  });

  it("is for those who ask for HTML", () => {
    expect(["text/html,*/*;q=0.8", "application/json", "*/*", undefined].map(prefersHtml)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
