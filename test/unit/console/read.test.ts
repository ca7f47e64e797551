import { describe, expect, it } from "vitest";
import { sentenceOf } from "../../../shared/pages/client/parts/read-response.ts";

const problemWith = (msg: string) => ({ detail: [{ loc: ["body", "audio"], msg, type: "value_error" }] });

describe("An error of the API on a page", () => {
  it.each([
    ["Value error, The file is text, not audio", "The file is text, not audio."],
    ["Value error, send either audio or file_id, not both", "Send either audio or file_id, not both."],
    ["Value error, Is it audio?", "Is it audio?"],
    ["Field required", "audio: Field required"],
  ])("is a sentence for people: %s", (msg, sentence) => {
    expect(sentenceOf(problemWith(msg))).toBe(sentence);
  });

  it("is the message of every other error", () => {
    expect(sentenceOf({ detail: "Slow down.", error: { message: "Slow down." } })).toBe("Slow down.");
  });
});
