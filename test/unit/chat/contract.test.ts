import { describe, expect, it } from "vitest";
import { chatCompletionRequest } from "../../../functions/chat/contract.ts";
import { maxConversationCharacters } from "../../../shared/models/inference/chat.ts";

const isTaken = (...contents: readonly string[]): boolean =>
  chatCompletionRequest.safeParse({
    model: "lang-9b",
    messages: contents.map((content) => ({ role: "user", content })),
  }).success;

describe("a conversation", () => {
  it("has at most 200,000 characters in all its messages together", () => {
    expect(maxConversationCharacters).toBe(200_000);
    const half = "a".repeat(100_000);
    expect(isTaken(half, half)).toBe(true);
    expect(isTaken(half, half, "a")).toBe(false);
    expect(isTaken(`${half}${half}a`)).toBe(false);
  });

  it("is counted in characters, of which some are written with two halves", () => {
    expect(isTaken("𞤀".repeat(200_000))).toBe(true);
    expect(isTaken("𞤀".repeat(200_001))).toBe(false);
  });
});
