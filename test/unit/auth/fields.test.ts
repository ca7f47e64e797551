import { describe, expect, it } from "vitest";
import { email, linkToken, shortText, tokenRequest } from "../../../shared/accounts/sign-in/fields.ts";
import { newPassword, username } from "../../../shared/accounts/sign-in/registration.ts";
import { ValidationError } from "../../../shared/platform/errors/app-error.ts";
import { validate } from "../../../shared/platform/validation/validation.ts";

/** What a caller reads about a value, or that it is taken. */
const outcome = (schema: Parameters<typeof validate>[0], value: unknown): unknown => {
  try {
    return { taken: validate(schema, value) };
  } catch (error) {
    return error instanceof ValidationError ? error.issues.map(({ type, msg }) => `${type}: ${msg}`) : error;
  }
};

const usernameRule =
  "value_error: Value error, a username has 3 to 64 letters, digits, dots, underscores or hyphens";

describe("a username", () => {
  it.each(["abc", "A.b_c-9", "a".repeat(64)])("may be %s", (value) => {
    expect(outcome(username, value)).toEqual({ taken: value });
  });

  it.each(["ab", "a".repeat(65), "amina okello", "amína", "amina@home", "amina\n"])("is not %j", (value) => {
    expect(outcome(username, value)).toEqual([usernameRule]);
  });
});

describe("an email address", () => {
  it("has at most 254 characters and looks like one", () => {
    const domain = "@example.com";
    const max = `${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.example`;
    expect(max.length).toBeLessThanOrEqual(254);
    expect(outcome(email, max)).toEqual({ taken: max });
    expect(outcome(email, `${"a".repeat(255 - domain.length)}${domain}`)).toEqual([
      "string_too_long: String should have at most 254 characters",
    ]);
    expect(outcome(email, "amina")).toEqual(["value_error: value is not a valid email address"]);
  });
});

describe("a new password", () => {
  it.each(["12 stork", "seven storks by the lake", "x".repeat(256)])("may be %j", (value) => {
    expect(outcome(newPassword, value)).toEqual({ taken: value });
  });

  it("has 8 to 256 characters", () => {
    expect(outcome(newPassword, "7 stork")).toEqual([
      "string_too_short: String should have at least 8 characters",
    ]);
    expect(outcome(newPassword, "x".repeat(257))).toEqual([
      "string_too_long: String should have at most 256 characters",
    ]);
  });

  it.each(["password1", "PassWord1"])("is not a common one: %s", (value) => {
    expect(outcome(newPassword, value)).toEqual([
      "value_error: Value error, this password is one of the most common ones; choose another",
    ]);
  });
});

describe("the form of a new password", () => {
  const e = "e\u0301";

  it("is normalised before it is measured", () => {
    expect(outcome(newPassword, `storks \u00a0${e}`)).toEqual({ taken: "storks  \u00e9" });
    expect(outcome(newPassword, e.repeat(256))).toEqual({ taken: "\u00e9".repeat(256) });
    expect(outcome(newPassword, e.repeat(7))).toEqual([
      "string_too_short: String should have at least 8 characters",
    ]);
  });

  it.each(["seven\tstorks", "seven storks\u200b", "seven storks\0"])(
    "cannot contain invisible characters: %j",
    (value) => {
      expect(outcome(newPassword, value)).toEqual([
        "value_error: Value error, a password cannot contain control characters or invisible characters",
      ]);
    },
  );

  it("is measured in the same way when it is compared, and compared as it was typed", () => {
    const form = { username: "amina", password: e.repeat(256) };
    expect(outcome(tokenRequest, form)).toEqual({ taken: form });
    expect(outcome(tokenRequest, { ...form, password: "seven\tstorks" })).toEqual({
      taken: { ...form, password: "seven\tstorks" },
    });
    expect(outcome(tokenRequest, { ...form, password: e.repeat(257) })).toEqual([
      "string_too_long: String should have at most 256 characters",
    ]);
  });
});

describe("the other fields of accounts", () => {
  it("are lines of 1 to 200 characters, without the space around them", () => {
    expect(outcome(shortText, ` ${"x".repeat(200)} `)).toEqual({ taken: "x".repeat(200) });
    expect(outcome(shortText, "x".repeat(201))).toEqual([
      "string_too_long: String should have at most 200 characters",
    ]);
    expect(outcome(shortText, "  ")).toEqual(["string_too_short: String should have at least 1 character"]);
  });

  it("are secrets of mailed links with 1 to 200 characters", () => {
    expect(outcome(linkToken, "x".repeat(200))).toEqual({ taken: "x".repeat(200) });
    expect(outcome(linkToken, "")).toEqual(["string_too_short: String should have at least 1 character"]);
    expect(outcome(linkToken, "x".repeat(201))).toEqual([
      "string_too_long: String should have at most 200 characters",
    ]);
  });
});

describe("the form of a login", () => {
  const form = { username: "amina", password: "seven storks by the lake" };

  it("may name its grant, as OAuth's clients do, or leave it empty", () => {
    for (const grant of [{}, { grant_type: "password" }, { grant_type: "" }]) {
      expect(outcome(tokenRequest, { ...form, ...grant })).toEqual({ taken: { ...form, ...grant } });
    }
    expect(outcome(tokenRequest, { ...form, grant_type: "client_credentials" })).toEqual([
      "string_pattern_mismatch: String should match pattern '^password$'",
    ]);
  });

  it("has a name of 1 to 254 characters and a password of 1 to 256", () => {
    const max = { username: "a".repeat(254), password: "x".repeat(256) };
    expect(outcome(tokenRequest, max)).toEqual({ taken: max });
    expect(outcome(tokenRequest, { username: "a".repeat(255), password: "x".repeat(257) })).toEqual([
      "string_too_long: String should have at most 254 characters",
      "string_too_long: String should have at most 256 characters",
    ]);
    expect(outcome(tokenRequest, { username: "", password: "" })).toEqual([
      "string_too_short: String should have at least 1 character",
      "string_too_short: String should have at least 1 character",
    ]);
    expect(outcome(tokenRequest, {})).toEqual(["missing: Field required", "missing: Field required"]);
  });
});
