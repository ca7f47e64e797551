import { describe, expect, it } from "vitest";
import { FormVisitor } from "../support/form-visitor.ts";

describe("The page about quality", () => {
  it("is public, and has scores or says that nothing was measured", async () => {
    const { status, html } = await new FormVisitor().open("/quality");
    expect(status).toBe(200);
    expect(html).toContain("<h1>Quality</h1>");
    expect(html).toMatch(/No measurements yet|Measured on/);
    expect(html).not.toMatch(/\{\w+\}|undefined/);
  });
});
