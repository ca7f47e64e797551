import { describe, expect, it } from "vitest";
import { expectAccessible, places, visit } from "../support/visitor.ts";

describe.each(places)("The pages of the service, $name", ({ url }) => {
  it("are laid out, are accessible and break no rule of their own policy", () =>
    visit(async ({ page, complaints }) => {
      await page.goto(`${url}/auth/reset-password?token=${"x".repeat(43)}`);
      await expectAccessible(page);
      expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
      expect(complaints().filter((text) => !text.includes("status of 400"))).toEqual([]);
    }));
});
