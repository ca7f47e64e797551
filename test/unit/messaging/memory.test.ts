import { describe, expect, it, vi } from "vitest";
import { fullContext } from "../../../functions/messaging/answer-chat.ts";
import {
  type Conversation,
  initialSettings,
  withExchange,
} from "../../../functions/messaging/conversation.ts";
import { refreshNote } from "../../../functions/messaging/refresh-note.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import type { ChatRequest } from "../../../shared/inference/chat.ts";

const conversation = (exchanges: number, note = ""): Conversation => ({
  settings: initialSettings,
  note,
  exchanges: Array.from({ length: exchanges }, (_, index) => ({
    question: `question ${index}`,
    answer: `answer ${index}`,
    replies: [`wamid.${index}`],
  })),
});

const signal = new AbortController().signal;

const noting = (text: string) =>
  vi.fn(async (_request: ChatRequest) => ({ text, finishReason: "stop" as const, usage: undefined }));

describe("what a model is told", () => {
  it("is the last five exchanges word for word, the note and hints at what is older", () => {
    const messages = fullContext(conversation(8, "They keep goats."), "And now?", "Amina");
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      ...Array.from({ length: 5 }, () => ["user", "assistant"]).flat(),
      "user",
    ]);
    expect(messages[1]).toEqual({ role: "user", content: "question 3" });
    expect(messages.at(-1)).toEqual({ role: "user", content: "And now?" });
    const [system] = messages;
    for (const known of ["They keep goats.", "Amina", "question 0", "answer 2"]) {
      expect(system?.content).toContain(known);
    }
    expect(system?.content).not.toContain("question 3");
  });

  it("hints at four older exchanges at most, each in few words", () => {
    const long = { ...conversation(12), exchanges: conversation(12).exchanges };
    long.exchanges[6] = { question: "x".repeat(500), answer: "a", replies: [] };
    const [system] = fullContext(long, "And now?", undefined);
    expect(system?.content).not.toContain("question 2");
    expect(system?.content).toContain("question 3");
    expect(system?.content).not.toContain("x".repeat(121));
  });
});

describe("what is remembered of an exchange", () => {
  it("is its beginning, when it is long", () => {
    const { exchanges } = withExchange(conversation(0), {
      question: "q".repeat(5_000),
      answer: `${"a".repeat(1_999)}😀`,
      replies: [],
    });
    expect(exchanges[0]?.question).toHaveLength(2_000);
    expect(exchanges[0]?.answer.isWellFormed()).toBe(true);
  });

  it("falls out when nobody has made a note of it for seventeen exchanges", () => {
    const { exchanges } = withExchange(conversation(17), { question: "new", answer: "a", replies: [] });
    expect(exchanges).toHaveLength(17);
    expect(exchanges[0]?.question).toBe("question 1");
    expect(exchanges.at(-1)?.question).toBe("new");
  });
});

describe("the note of a conversation", () => {
  it("is made anew when six exchanges have gathered before the last five", async () => {
    const answer = noting("Amina keeps goats.");
    const before = conversation(11, "They live in Gulu.");
    const after = await refreshNote(before, { answer }, signal);
    expect(after).toEqual({ ...before, note: "Amina keeps goats.", exchanges: before.exchanges.slice(6) });
    const told = answer.mock.calls[0]?.[0].messages.at(-1)?.content;
    expect(told).toContain("They live in Gulu.");
    expect(told).toContain("question 5");
    expect(told).not.toContain("question 6");
  });

  it("is left alone before that", async () => {
    const answer = noting("A note.");
    const before = conversation(10);
    expect(await refreshNote(before, { answer }, signal)).toBe(before);
    expect(answer).not.toHaveBeenCalled();
  });

  it("is at most 800 characters long", async () => {
    const { note } = await refreshNote(
      conversation(11),
      { answer: noting("Amina keeps many goats. ".repeat(99)) },
      signal,
    );
    expect(note.length).toBeLessThanOrEqual(800);
  });

  it.each([
    ["fails", vi.fn().mockRejectedValue(new AppError("service_unavailable"))],
    ["gives nothing that makes sense", noting("<|im_end|>")],
  ])("waits for the next time when the model %s", async (_what, answer) => {
    const before = conversation(12, "Old.");
    expect(await refreshNote(before, { answer }, signal)).toBe(before);
  });
});
