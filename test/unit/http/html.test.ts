import { describe, expect, it } from "vitest";
import { escapeHtml, wantsPage } from "../../../shared/http/html.ts";

describe("A page", () => {
  it("is for callers who request HTML", () => {
    expect(["text/html,*/*;q=0.8", "application/json", "*/*", undefined].map(wantsPage)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("makes no markup of a text", () => {
    expect(escapeHtml(`<a href="x">&amp;`)).toBe("&lt;a href=&quot;x&quot;&gt;&amp;amp;");
  });
});
