import { describe, expect, it, vi } from "vitest";
import { createAnswerPlanner } from "../../../functions/messaging/answer-message.ts";
import type { AnswerDependencies } from "../../../functions/messaging/answer-text.ts";
import { type Conversation, initialSettings } from "../../../functions/messaging/conversation.ts";
import {
  languageList,
  modeList,
  ratingList,
  voiceButtons,
  welcomeList,
} from "../../../functions/messaging/menus.ts";
import { MediaError } from "../../../functions/messaging/messaging-platform.ts";
import type { Output } from "../../../functions/messaging/plan.ts";
import { wording } from "../../../functions/messaging/wording.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import type { ChatRequest } from "../../../shared/inference/chat.ts";
import type { InboundMessage, MessageContent } from "../../../shared/messaging/inbound-message.ts";
import { soundBytes, wavFile } from "../../support/wav.ts";

const wav = wavFile(soundBytes(48_000), { stated: true });

const setUp = (
  settings: Partial<Conversation["settings"]> = {},
  options: {
    readonly conversation?: Partial<Conversation>;
    readonly isFirst?: boolean;
    readonly isLastTry?: boolean;
    readonly signal?: AbortSignal;
  } = {},
) => {
  const chat = vi.fn(async (_request: ChatRequest) => ({
    text: "It is 42.",
    finishReason: "stop" as const,
    usage: undefined,
  }));
  const translate = vi.fn(async () => ({ text: "Webale", usage: undefined }));
  const transcribe = vi.fn(async () => ({ text: "What is the answer?", segments: undefined }));
  const download = vi.fn(async () => ({ bytes: wav }));
  const dependencies: AnswerDependencies = {
    chat: { answer: chat },
    translator: { translate },
    transcriber: { transcribe },
    platform: { download },
    transcriptionPauseMilliseconds: 1,
  };
  const conversation: Conversation = {
    exchanges: [],
    note: "",
    ...options.conversation,
    settings: { ...initialSettings, ...settings },
  };
  const saidNow: Output[] = [];
  const answer = (content: MessageContent, message: Partial<InboundMessage> = {}) =>
    createAnswerPlanner(dependencies)(
      { id: "wamid.in", sender: "s", phoneNumberId: "1", name: "Amina Nakato", content, ...message },
      conversation,
      {
        sayNow: async (output) => void saidNow.push(output),
        isFirst: options.isFirst ?? false,
        isLastTry: options.isLastTry ?? false,
        signal: options.signal ?? new AbortController().signal,
      },
    );
  return {
    chat,
    translate,
    transcribe,
    download,
    saidNow,
    answer,
    write: (text: string) => answer({ type: "text", text }),
    tap: (title: string, id = "") => answer({ type: "choice", id, title }),
    speak: () => answer({ type: "voice", mediaId: "77" }),
  };
};

const text = (words: string): Output => ({ kind: "text", text: words });
const unavailable = () => new AppError("service_unavailable");
const unusable = () => new AppError("external_service_error");

describe("a text", () => {
  it("in chat mode gets the model's answer, which is remembered", async () => {
    const { write, chat } = setUp();
    expect(await write("What is the answer?")).toEqual({
      outputs: [text("It is 42.")],
      changes: { exchange: { question: "What is the answer?", answer: "It is 42." } },
    });
    expect(chat).toHaveBeenCalledOnce();
  });

  it("in translate mode gets the translation into the person's language and nothing else", async () => {
    const { write, translate, chat } = setUp({ mode: "translate", language: "lug" });
    expect((await write("Thank you")).outputs).toEqual([text("Webale")]);
    expect(translate).toHaveBeenCalledExactlyOnceWith(
      { text: "Thank you", sourceLanguage: undefined, targetLanguage: "Luganda" },
      { signal: expect.any(AbortSignal) },
    );
    expect(chat).not.toHaveBeenCalled();
  });

  it("in transcribe mode is answered with a reminder to send a voice note", async () => {
    const { write } = setUp({ mode: "transcribe" });
    expect((await write("Hello there friend")).outputs).toEqual([text(wording.sendVoiceNote)]);
  });

  it("in speak mode is repeated and read aloud, without asking a model", async () => {
    const { write, chat } = setUp({ mode: "speak", language: "lug" });
    expect((await write("Webale nnyo ssebo")).outputs).toEqual([
      text("Webale nnyo ssebo"),
      { kind: "speech", text: "Webale nnyo ssebo", language: "lug" },
    ]);
    expect(chat).not.toHaveBeenCalled();
  });

  it("is also answered by voice for those who want it", async () => {
    const { write } = setUp({ voice: true, language: "lug" });
    expect((await write("What is the answer?")).outputs).toEqual([
      text("It is 42."),
      { kind: "speech", text: "It is 42.", language: "lug" },
    ]);
  });

  it("is not read aloud in a language without a voice, nor by the voice of another language", async () => {
    expect((await setUp({ voice: true, language: "lgg" }).write("What now?")).outputs).toHaveLength(1);
    expect((await setUp({ mode: "speak", language: "lgg" }).write("Mi ngoni")).outputs).toEqual([
      text("Mi ngoni"),
      text(wording.noVoiceFor("Lugbara")),
    ]);
  });

  it.each(["?", "a", "😀", "…", "  "])("that says nothing (%j) is answered with a nudge", async (words) => {
    const { write, chat } = setUp();
    expect((await write(words)).outputs).toEqual([text(wording.nudge)]);
    expect(chat).not.toHaveBeenCalled();
  });

  it("from somebody new is answered, and then welcomed", async () => {
    const plan = await setUp({}, { isFirst: true }).write("What is the answer?");
    expect(plan.outputs).toEqual([text("It is 42."), welcomeList]);
    expect(plan.changes.isFirst).toBe(true);
  });
});

describe("a model that fails", () => {
  it("is asked once more with the message alone", async () => {
    const { write, chat } = setUp(
      {},
      {
        conversation: { exchanges: [{ question: "q", answer: "a", replies: [] }], note: "They keep goats." },
      },
    );
    chat.mockRejectedValueOnce(unusable());
    expect((await write("What is the answer?")).outputs).toEqual([text("It is 42.")]);
    const [first, second] = chat.mock.calls.map(([{ messages }]) => messages);
    expect(first?.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(second?.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(second?.[0]?.content).not.toContain("goats");
  });

  it("twice is apologised for, in words that say what to do, and not remembered", async () => {
    const { write, chat } = setUp();
    chat.mockRejectedValue(unavailable());
    const plan = await write("What is the answer?");
    expect(plan.outputs).toEqual([text(expect.stringContaining("two or three minutes"))]);
    expect(plan.changes).toEqual({});
    expect(chat).toHaveBeenCalledTimes(2);
  });

  it("by giving scaffolding or by going round in circles counts as failing", async () => {
    const { write, chat } = setUp();
    chat.mockResolvedValue({ text: "hello ".repeat(50), finishReason: "stop", usage: undefined });
    expect((await write("What is the answer?")).outputs).toEqual([
      text(expect.stringContaining("put it in other words")),
    ]);
    expect(chat).toHaveBeenCalledTimes(2);
  });

  it("to translate is apologised for", async () => {
    const { write, translate } = setUp({ mode: "translate" });
    translate.mockRejectedValue(unavailable());
    expect((await write("Thank you")).outputs).toEqual([text(expect.stringContaining("busy"))]);
  });

  it("for a reason of ours is a fault, not an apology", async () => {
    const { write, chat } = setUp();
    chat.mockRejectedValue(new TypeError("x is not a function"));
    await expect(write("What is the answer?")).rejects.toThrow("x is not a function");
  });
});

describe("a command", () => {
  it.each([
    ["hello", text(wording.greeting("Amina"))],
    ["menu", text(wording.menu("chat"))],
    ["help", text(wording.help)],
    ["status", text(wording.status(initialSettings, "English"))],
    ["set language", languageList("English")],
    ["mode", modeList("chat")],
    ["voice", voiceButtons(false)],
    ["speak", text(wording.whatToSay)],
  ])("%j is executed without asking a model", async (words, output) => {
    const { write, chat } = setUp();
    expect(await write(words)).toEqual({ outputs: [output], changes: {} });
    expect(chat).not.toHaveBeenCalled();
  });

  it.each([
    ["mode translate", { mode: "translate" }],
    ["start over", { mode: "chat" }],
    ["cancel", { mode: "chat" }],
    ["voice on", { voice: true }],
    ["text only", { voice: false }],
  ])("%j changes the settings to %j and leaves the others", async (words, change) => {
    const before = { mode: "speak", language: "ach", voice: false } as const;
    expect((await setUp(before).write(words)).changes).toEqual({ settings: { ...before, ...change } });
  });

  it("greets by the first name, and without one where there is none", async () => {
    const { answer } = setUp();
    const content = { type: "text", text: "hello" } as const;
    expect((await answer(content)).outputs).toEqual([text(expect.stringContaining("Hello Amina!"))]);
    const nameless = createAnswerPlanner({} as AnswerDependencies);
    const plan = await nameless(
      { id: "i", sender: "s", phoneNumberId: "1", content },
      { settings: initialSettings, exchanges: [], note: "" },
      {
        sayNow: async () => undefined,
        isFirst: false,
        isLastTry: false,
        signal: new AbortController().signal,
      },
    );
    expect(plan.outputs).toEqual([text(expect.stringContaining("Hello! "))]);
  });
});

describe("a tap on a menu", () => {
  it.each([
    ["mode_translate", "Translate", { mode: "translate" }],
    ["mode_tts", "Speak / TTS", { mode: "speak" }],
    ["row 1", "Luganda", { language: "lug" }],
    ["language_nyn", "Runyankole", { language: "nyn" }],
    ["tts_on", "Voice on", { voice: true }],
    ["row 3", "Start Chatting", { mode: "chat" }],
  ])("%s, %s changes %j", async (id, title, change) => {
    const { tap } = setUp({ mode: "transcribe" });
    expect((await tap(title, id)).changes.settings).toEqual({
      ...initialSettings,
      mode: "transcribe",
      ...change,
    });
  });

  it.each([
    ["Get Help", text(wording.help)],
    ["Set Language", languageList("English")],
    ["Something Else", text(wording.thanks)],
  ])("on %j is answered", async (title, output) => {
    expect((await setUp().tap(title, "row 1")).outputs).toEqual([output]);
  });

  it("on a rating keeps it with the latest exchange", async () => {
    const exchanges = [
      { question: "q1", answer: "a1", replies: ["wamid.1"] },
      { question: "q2", answer: "a2", replies: ["wamid.2"] },
    ];
    const plan = await setUp({}, { conversation: { exchanges } }).tap("Good");
    expect(plan.outputs).toEqual([text(wording.thanksForRating)]);
    expect(plan.changes.feedback).toEqual({
      kind: "rating",
      value: "Good",
      reply: "wamid.2",
      exchange: { question: "q2", answer: "a2" },
    });
  });
});

describe("a reaction", () => {
  const exchanges = [{ question: "q1", answer: "a1", replies: ["wamid.0", "wamid.1"] }];

  it("is kept with the answer it was given to, and answered with the rating list", async () => {
    const { answer } = setUp({}, { conversation: { exchanges } });
    expect(await answer({ type: "reaction", messageId: "wamid.1", emoji: "👍" })).toEqual({
      outputs: [ratingList],
      changes: {
        feedback: {
          kind: "reaction",
          value: "👍",
          reply: "wamid.1",
          exchange: { question: "q1", answer: "a1" },
        },
      },
    });
  });

  it("to an answer that is no longer known is kept alone", async () => {
    const { answer } = setUp({}, { conversation: { exchanges } });
    const plan = await answer({ type: "reaction", messageId: "wamid.old", emoji: "👎" });
    expect(plan.changes.feedback).toEqual({ kind: "reaction", value: "👎", reply: "wamid.old" });
  });
});

describe("anything else", () => {
  it("is answered with what the assistant understands", async () => {
    expect((await setUp().answer({ type: "unsupported" })).outputs).toEqual([text(wording.unsupported)]);
  });
});

describe("a voice note", () => {
  const transcript: Output = {
    kind: "text",
    text: wording.transcript("What is the answer?"),
    quoting: "wamid.in",
  };

  it("is acknowledged at once, written down in the person's language, quoted, and answered", async () => {
    const { speak, saidNow, transcribe, download } = setUp({ language: "ach" });
    const plan = await speak();
    expect(saidNow).toEqual([text(wording.listening)]);
    expect(download).toHaveBeenCalledExactlyOnceWith("77", { signal: expect.any(AbortSignal) });
    expect(transcribe).toHaveBeenCalledExactlyOnceWith(
      {
        language: "ach",
        withSegments: false,
        recording: expect.objectContaining({ mediaType: "audio/wav", fileExtension: "wav" }),
      },
      { signal: expect.any(AbortSignal) },
    );
    expect(plan.outputs).toEqual([transcript, text("It is 42.")]);
    expect(plan.changes.exchange).toEqual({ question: "What is the answer?", answer: "It is 42." });
  });

  it.each([
    ["transcribe", [transcript]],
    ["translate", [transcript, text("Webale")]],
    ["speak", [transcript, { kind: "speech", text: "What is the answer?", language: "eng" }]],
  ] as const)("in %s mode gets what the mode says", async (mode, outputs) => {
    expect((await setUp({ mode }).speak()).outputs).toEqual(outputs);
  });

  it("that is long is quoted in several messages, none longer than the platform takes", async () => {
    const { speak, transcribe } = setUp({ mode: "transcribe" });
    transcribe.mockResolvedValue({ text: "A long story goes on. ".repeat(400), segments: undefined });
    const { outputs } = await speak();
    expect(outputs.length).toBe(3);
    for (const output of outputs)
      expect(output.kind === "text" && output.text.length).toBeLessThanOrEqual(4_096);
    expect(outputs.map((output) => output.kind === "text" && output.quoting)).toEqual([
      "wamid.in",
      undefined,
      undefined,
    ]);
  });

  it.each([
    ["gone", wording.voiceNoteGone],
    ["too-large", wording.voiceNoteTooLarge],
  ] as const)("that is %s is told so", async (reason, words) => {
    const { speak, download } = setUp();
    download.mockRejectedValue(new MediaError(reason, "It is not there."));
    expect((await speak()).outputs).toEqual([text(words)]);
  });

  it("that the platform cannot give now is left for another try, and only the last one says so", async () => {
    const unreachable = new MediaError("unreachable", "The platform is not there.");
    const first = setUp();
    first.download.mockRejectedValue(unreachable);
    await expect(first.speak()).rejects.toBe(unreachable);
    const last = setUp({}, { isLastTry: true });
    last.download.mockRejectedValue(unreachable);
    expect(await last.speak()).toEqual({ outputs: [text(wording.voiceNoteOutOfReach)], changes: {} });
    expect(wording.voiceNoteOutOfReach).toContain("not answering right now");
    expect(wording.voiceNoteOutOfReach).not.toContain("too old");
  });

  it("that did not come in the function's time is left for another try, and only the last one says so", async () => {
    const timeIsUp = new DOMException("Time is up.", "TimeoutError");
    const signal = AbortSignal.abort(timeIsUp);
    const first = setUp({}, { signal });
    first.download.mockRejectedValue(timeIsUp);
    await expect(first.speak()).rejects.toBe(timeIsUp);
    const last = setUp({}, { signal, isLastTry: true });
    last.download.mockRejectedValue(timeIsUp);
    expect((await last.speak()).outputs).toEqual([text(wording.voiceNoteOutOfReach)]);
  });

  it("that cannot be fetched for a reason of ours is a fault, also in the last try", async () => {
    const { speak, download } = setUp({}, { isLastTry: true });
    download.mockRejectedValue(new TypeError("x is not a function"));
    await expect(speak()).rejects.toThrow("x is not a function");
  });

  it.each([
    ["no audio at all", Buffer.from("%PDF-1.7 and so on"), wording.voiceNoteUnreadable],
    ["a damaged file", wav.subarray(0, 30), wording.voiceNoteUnreadable],
    [
      "eleven minutes long",
      wavFile(soundBytes(660 * 8_000 * 2), { sampleRate: 8_000, stated: true }),
      wording.voiceNoteTooLong,
    ],
  ])("that is %s is told so", async (_what, bytes, words) => {
    const { speak, download, transcribe } = setUp();
    download.mockResolvedValue({ bytes });
    expect((await speak()).outputs).toEqual([text(words)]);
    expect(transcribe).not.toHaveBeenCalled();
  });

  it("without words is told so", async () => {
    const { speak, transcribe } = setUp();
    transcribe.mockResolvedValue({ text: "  ", segments: undefined });
    expect((await speak()).outputs).toEqual([text(wording.noSpeech)]);
  });

  it("is tried a second time while the model is loading, and the person hears of it", async () => {
    const { speak, transcribe, saidNow } = setUp({ mode: "transcribe" });
    transcribe.mockRejectedValueOnce(unavailable());
    expect((await speak()).outputs).toEqual([transcript]);
    expect(saidNow).toEqual([text(wording.listening), text(wording.stillListening)]);
  });

  it("that cannot be written down twice is apologised for", async () => {
    const { speak, transcribe } = setUp();
    transcribe.mockRejectedValue(unavailable());
    expect((await speak()).outputs).toEqual([text(wording.notTranscribed)]);
  });

  it("is quoted even when the model has no answer to it", async () => {
    const { speak, chat } = setUp();
    chat.mockRejectedValue(unavailable());
    expect((await speak()).outputs).toEqual([transcript, text(expect.stringContaining("busy"))]);
  });
});
