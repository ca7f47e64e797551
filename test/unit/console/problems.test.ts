import { describe, expect, it } from "vitest";
import { email } from "../../../shared/accounts/sign-in/fields.ts";
import { newPassword, username } from "../../../shared/accounts/sign-in/registration.ts";
import { describeIssues } from "../../../shared/pages/server/problems.ts";
import { textsOf } from "../../../shared/pages/texts/languages.ts";

describe("the problem of a field", () => {
  it.each([
    ["en", "This password is too common. Choose another one."],
    ["sw", "Nenosiri hili linatumika sana. Chagua jingine."],
  ] as const)("is said in the language of the page: %s", (language, words) => {
    const issues = newPassword.safeParse("password123", { reportInput: true }).error?.issues ?? [];
    expect(describeIssues(issues, textsOf[language]).fields).toEqual({ "": words });
  });
});

describe("a field that is refused", () => {
  const describeInput = (field: typeof username | typeof email, input: string): string | undefined =>
    describeIssues(field.safeParse(input, { reportInput: true }).error?.issues ?? [], textsOf.en).fields[""];

  it.each([
    ["na kato", "A username cannot contain spaces."],
    ["nakato!", "A username cannot contain “!”."],
    ["nakató", "A username cannot contain “ó”."],
    ["nakato😀", "A username cannot contain “😀”."],
    ["na", "Too short: you entered 2, and at least 3 characters are needed."],
    ["n".repeat(65), "Too long: you entered 65, and at most 64 characters are allowed."],
    ["", "Enter your {field}."],
  ])("says what is wrong with the username %j", (input, words) => {
    expect(describeInput(username, input)).toBe(words);
  });

  it.each([
    ["nakato", "The “@” is missing, as in name@example.com."],
    ["nakato@example", "The part after “@” is incomplete, as in name@example.com."],
    ["na kato@example.com", "This is not an email address, such as name@example.com."],
    ["a@b@example.com", "The part after “@” is incomplete, as in name@example.com."],
  ])("says what is wrong with the address %j", (input, words) => {
    expect(describeInput(email, input)).toBe(words);
  });

  it("says how long a password is, and how long it must be", () => {
    const issues = newPassword.safeParse("short", { reportInput: true }).error?.issues ?? [];
    expect(describeIssues(issues, textsOf.en).fields[""]).toBe(
      "Too short: you entered 5, and at least 8 characters are needed.",
    );
  });
});
