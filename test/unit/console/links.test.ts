import { describe, expect, it } from "vitest";
import { readNext } from "../../../shared/pages/server/links.ts";

describe("The page to continue with", () => {
  it.each(["/console", "/console/usage?from=a+mail", "/docs/translate"])("may be %s", (next) => {
    expect(readNext(next)).toBe(next);
  });

  it.each([
    undefined,
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "/\\elsewhere.example",
    "/console/../../elsewhere",
    "/console\\..\\..//elsewhere.example",
    "/%2F/elsewhere.example",
    "javascript:alert(1)",
    "/auth/me",
    "/console/log-out",
    "/console/log-in?next=/console/log-in",
    `/console/${"x".repeat(3_000)}`,
  ])("never leads away: %.40s", (next) => {
    expect(readNext(next)).toBeUndefined();
  });
});
