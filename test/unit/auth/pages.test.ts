import { describe, expect, it } from "vitest";
import { messagePage, resetForm, verificationForm } from "../../../functions/auth/pages.ts";

const pages = [
  messagePage("Thank you", "Done."),
  verificationForm("the-secret"),
  resetForm("the-secret"),
  resetForm("the-secret", true),
];

describe("A page behind a mailed link", () => {
  it.each(pages)("has no script and no style of its own, and allows none", ({ body, headers }) => {
    expect(headers["Content-Security-Policy"]).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(body).not.toMatch(/<script|<style|\son\w+=|style="|https?:/i);
    expect(headers["Referrer-Policy"]).toBe("no-referrer");
    expect(headers["X-Frame-Options"]).toBe("DENY");
  });

  it("makes no markup of what a link has as its secret", () => {
    for (const { body } of [verificationForm(`"><b>&`), resetForm(`"><b>&`)]) {
      expect(body).toContain('value="&quot;&gt;&lt;b&gt;&amp;"');
    }
  });
});
