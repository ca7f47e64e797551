import { describe, expect, it } from "vitest";
import { describeIssues } from "../../../functions/console/server/problems.ts";
import { textsOf } from "../../../functions/console/texts/languages.ts";
import { newPassword } from "../../../shared/accounts/sign-in/fields.ts";

describe("the problem of a field", () => {
  it.each([
    ["en", "This password is too common. Choose another one."],
    ["sw", "Nenosiri hili linatumika sana. Chagua jingine."],
  ] as const)("is said in the language of the page: %s", (language, words) => {
    const issues = newPassword.safeParse("password123", { reportInput: true }).error?.issues ?? [];
    expect(describeIssues(issues, textsOf[language]).fields).toEqual({ "": words });
  });
});
