import { describe, expect, it, vi } from "vitest";
import {
  type Conversation,
  initialSettings,
  withExchange,
} from "../../../functions/messaging/conversation.ts";
import { refreshNote } from "../../../functions/messaging/refresh-note.ts";
import { bareContext, fullContext } from "../../../functions/messaging/reply-to-chat.ts";
import { type ChatRequest, defaultSystemMessage } from "../../../shared/models/inference/chat.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";

const conversation = (exchanges: number, note = ""): Conversation => ({
  settings: initialSettings,
  note,
  exchanges: Array.from({ length: exchanges }, (_, index) => ({
    question: `question ${index}`,
    answer: `reply ${index}`,
    replies: [`wamid.${index}`],
  })),
});

const signal = new AbortController().signal;

const noting = (text: string) =>
  vi.fn(async (_request: ChatRequest) => ({ text, finishReason: "stop" as const, usage: undefined }));

describe("the model's prompt", () => {
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
    for (const known of ["They keep goats.", "Amina", "question 0", "reply 2"]) {
      expect(system?.content).toContain(known);
    }
    expect(system?.content).not.toContain("question 3");
  });

  it("has this order and these words", () => {
    const known = fullContext(conversation(7, "They keep goats."), "And now?", "Amina");
    const manner =
      "You are talking with a person in a messaging app: write plain text without headings and tables, and keep to a " +
      "few short paragraphs. When you do not know something, say so.";
    expect(known[0]).toEqual({
      role: "system",
      content: [
        defaultSystemMessage,
        manner,
        "The person is called Amina.",
        "What you remember of earlier: They keep goats.",
        "What was said a while ago:\nThey: question 0 / You: reply 0\nThey: question 1 / You: reply 1",
      ].join("\n\n"),
    });
    const bare = [
      { role: "system", content: `${defaultSystemMessage}\n\n${manner}` },
      { role: "user", content: "And now?" },
    ];
    expect(fullContext(conversation(0), "And now?", undefined)).toEqual(bare);
    expect(bareContext("And now?")).toEqual(bare);
  });

  it("is hinted at in one line of 120 characters, never with half a character", () => {
    const six = conversation(6);
    six.exchanges[0] = { question: `${"x".repeat(119)}😀`, answer: "line one\n\n line  two", replies: [] };
    const [system] = fullContext(six, "And now?", undefined);
    expect(system?.content).toContain(`They: ${"x".repeat(119)}\uFFFD / You: line one line two`);
    six.exchanges[0] = { question: "y".repeat(121), answer: "a", replies: [] };
    expect(fullContext(six, "And now?", undefined)[0]?.content).toContain(`They: ${"y".repeat(120)} / You`);
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
    expect(exchanges[0]?.answer).toBe(`${"a".repeat(1_999)}\uFFFD`);
  });

  it("is stored with the ids of its replies, after the earlier exchanges", () => {
    const before = conversation(1, "Old.");
    const exchange = { question: "q", answer: "a", replies: ["wamid.a", "wamid.b"] };
    expect(withExchange(before, exchange)).toEqual({ ...before, exchanges: [...before.exchanges, exchange] });
  });

  it("is dropped when no note was written for seventeen exchanges", () => {
    const { exchanges } = withExchange(conversation(17), { question: "new", answer: "a", replies: [] });
    expect(exchanges).toHaveLength(17);
    expect(exchanges[0]?.question).toBe("question 1");
    expect(exchanges.at(-1)?.question).toBe("new");
  });
});

describe("the note of a conversation", () => {
  it("is rewritten when six exchanges have accumulated before the last five", async () => {
    const reply = noting("Amina keeps goats.");
    const before = conversation(11, "They live in Gulu.");
    const after = await refreshNote(before, { reply }, signal);
    expect(after).toEqual({ ...before, note: "Amina keeps goats.", exchanges: before.exchanges.slice(6) });
    expect(reply).toHaveBeenCalledExactlyOnceWith(
      {
        model: "lang-14b",
        messages: [
          {
            role: "system",
            content:
              "You keep the memory of an assistant. Write a note of at most 120 words about the person and the " +
              "conversation: names, locations, languages, wishes, what was decided. Facts only, no advice, no greeting. " +
              "Answer with the note alone.",
          },
          {
            role: "user",
            content: [
              "The note so far: They live in Gulu.",
              ...[0, 1, 2, 3, 4, 5].map((index) => `Person: question ${index}\nAssistant: reply ${index}`),
            ].join("\n\n"),
          },
        ],
        temperature: 0.2,
        topP: undefined,
        maxTokens: 300,
        stop: undefined,
      },
      { signal: expect.any(AbortSignal) },
    );
  });

  it("does not mention a note where there was none", async () => {
    const reply = noting("Amina keeps goats.");
    await refreshNote(conversation(11), { reply }, signal);
    expect(reply.mock.calls[0]?.[0].messages.at(-1)?.content).toMatch(/^Person: question 0\n/);
  });

  it("is given up with the work on the message", async () => {
    const before = conversation(11);
    const over = new AbortController();
    const reply = vi.fn(async (_request: ChatRequest, { signal: given }: { signal: AbortSignal }) => {
      over.abort();
      expect(given.aborted).toBe(true);
      throw new AppError("service_unavailable");
    });
    expect(await refreshNote(before, { reply }, over.signal)).toBe(before);
    expect(reply).toHaveBeenCalledOnce();
    expect(await refreshNote(before, { reply }, over.signal)).toBe(before);
    expect(reply).toHaveBeenCalledOnce();
  });

  it("is left alone before that", async () => {
    const reply = noting("A note.");
    const before = conversation(10);
    expect(await refreshNote(before, { reply }, signal)).toBe(before);
    expect(reply).not.toHaveBeenCalled();
  });

  it("is at most 800 characters long", async () => {
    const facts = Array.from({ length: 99 }, (_, index) => `Amina keeps goat ${index}.`).join(" ");
    const { note } = await refreshNote(conversation(11), { reply: noting(facts) }, signal);
    expect(note).toMatch(/ …$/);
    expect(note.length).toBeLessThanOrEqual(800);
    expect(note.length).toBeGreaterThan(770);
  });

  it.each([
    ["fails", vi.fn().mockRejectedValue(new AppError("service_unavailable"))],
    ["returns nothing useful", noting("<|im_end|>")],
  ])("waits for the next time when the model %s", async (what, reply) => {
    const warn = vi.spyOn(logger, "warn").mockReturnValue();
    const before = conversation(12, "Old.");
    expect(await refreshNote(before, { reply }, signal)).toBe(before);
    expect(warn.mock.calls).toEqual(
      what === "fails"
        ? [["note.not_refreshed", { reason: expect.objectContaining({ name: "AppError" }) }]]
        : [],
    );
    warn.mockRestore();
  });
});
