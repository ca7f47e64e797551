import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { consentVersion } from "../../../functions/messaging/consent.ts";
import { type Conversation, initialSettings } from "../../../functions/messaging/conversation.ts";
import type { LongRecordingOutcome, LongRecordings } from "../../../functions/messaging/long-recordings.ts";
import {
  languageChoices,
  languageList,
  modeList,
  ratingList,
  voiceButtons,
  welcomeList,
} from "../../../functions/messaging/menus.ts";
import { MediaError } from "../../../functions/messaging/messaging-platform.ts";
import type { Output } from "../../../functions/messaging/plan.ts";
import { createReplyPlanner } from "../../../functions/messaging/reply-to-message.ts";
import type { ReplyDependencies } from "../../../functions/messaging/reply-to-text.ts";
import { english as wording } from "../../../functions/messaging/wording/english.ts";
import { wordingIn } from "../../../functions/messaging/wording.ts";
import type { InboundMessage, MessageContent } from "../../../shared/messaging/inbound-message.ts";
import { type ChatRequest, defaultSystemMessage } from "../../../shared/models/inference/chat.ts";
import type { Transcription, TranscriptionRequest } from "../../../shared/models/inference/transcription.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { makeOggOpus } from "../../fixtures/audio/make-ogg.ts";
import { replyBasics } from "../../support/assistant.ts";
import { unsureJudgement } from "../../support/unsure-detector.ts";
import { audioBytes, wavFile } from "../../support/wav.ts";

/** A recording as phones make them, of little more than its pages. */
const oggOpus = (seconds: number): Buffer => makeOggOpus(seconds * 50, { preSkip: 0, packetBytes: 2 });

const wav = wavFile(audioBytes(48_000), { stated: true });

const setUp = (
  settings: Partial<Conversation["settings"]> = {},
  options: {
    readonly conversation?: Partial<Conversation>;
    readonly isFirst?: boolean;
    readonly isStopped?: boolean;
    readonly isLastAttempt?: boolean;
    readonly signal?: AbortSignal;
    readonly giveUpAfter?: number;
    readonly dependencies?: Partial<ReplyDependencies>;
  } = {},
) => {
  const chat = vi.fn(async (_request: ChatRequest) => ({
    text: "It is 42.",
    finishReason: "stop" as const,
    usage: undefined,
  }));
  const translate = vi.fn(async () => ({ text: "Webale", usage: undefined }));
  const transcribe = vi.fn(
    async (
      _request: TranscriptionRequest,
      _options: { readonly signal: AbortSignal },
    ): Promise<Transcription> => ({
      text: "What is the answer?",
      segments: undefined,
    }),
  );
  const download = vi.fn(async () => ({ bytes: wav }));
  const begin = vi.fn<LongRecordings["begin"]>(async () => "job");
  const outcomeOf = vi.fn<LongRecordings["outcomeOf"]>(async () => undefined);
  const dependencies: ReplyDependencies = {
    chat: { reply: chat },
    translator: { translate },
    ...unsureJudgement,
    transcriber: { transcribe },
    platform: { download },
    transcriptionRetry: { after: options.giveUpAfter ?? 120_000, pause: 1 },
    longRecordings: { begin, outcomeOf },
    ...replyBasics,
    ...options.dependencies,
  };
  const conversation: Conversation = {
    exchanges: [],
    note: "",
    consent: { version: consentVersion, at: "2026-11-24T00:00:00.000Z" },
    writes_in: "eng",
    ...options.conversation,
    settings: { ...initialSettings, ...settings },
  };
  const saidNow: Output[] = [];
  const reply = (content: MessageContent, message: Partial<InboundMessage> = {}) =>
    createReplyPlanner(dependencies)(
      { id: "wamid.in", sender: "s", phoneNumberId: "1", name: "Amina Nakato", content, ...message },
      conversation,
      {
        sayNow: async (output) => void saidNow.push(output),
        isFirst: options.isFirst ?? false,
        isStopped: options.isStopped ?? false,
        isLastAttempt: options.isLastAttempt ?? false,
        signal: options.signal ?? new AbortController().signal,
      },
    );
  return {
    chat,
    translate,
    transcribe,
    download,
    begin,
    outcomeOf,
    saidNow,
    reply,
    write: (text: string) => reply({ type: "text", text }),
    tap: (title: string, id = "") => reply({ type: "choice", id, title }),
    speak: () => reply({ type: "voice", mediaId: "77" }),
  };
};

beforeEach(() => {
  vi.spyOn(logger, "warn").mockReturnValue();
});
afterEach(() => vi.restoreAllMocks());

const text = (words: string): Output => ({ kind: "text", text: words });
const unavailable = () => new AppError("service_unavailable");
const unusable = () => new AppError("external_service_error");

describe("a text", () => {
  it("in chat mode gets the model's reply, which is remembered", async () => {
    const { write, chat } = setUp();
    expect(await write("What is the answer?")).toEqual({
      outputs: [text("It is 42.")],
      changes: { exchange: { question: "What is the answer?", answer: "It is 42." } },
    });
    expect(chat).toHaveBeenCalledExactlyOnceWith(
      {
        model: "lang-14b",
        messages: [
          { role: "system", content: expect.stringContaining("The person is called Amina Nakato.") },
          { role: "user", content: "What is the answer?" },
        ],
        temperature: 0.6,
        topP: 0.95,
        maxTokens: 1_024,
        stop: undefined,
      },
      { signal: expect.any(AbortSignal) },
    );
    expect(chat.mock.calls[0]?.[0].messages[0]?.content).toContain(defaultSystemMessage);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it.each(["ab", "a1", "42", "ŋŋ"])("of two letters or digits (%j) says something", async (words) => {
    const { write, chat } = setUp();
    expect((await write(words)).outputs).toEqual([text("It is 42.")]);
    expect(chat).toHaveBeenCalledOnce();
  });

  it("with an unusable reply in translate mode is not remembered", async () => {
    const { write, translate } = setUp({ mode: "translate" });
    translate.mockResolvedValue({ text: "<|im_end|>", usage: undefined });
    expect(await write("Thank you")).toEqual({
      outputs: [text(expect.stringContaining("say it another way"))],
      changes: {},
    });
  });

  it("from a person whose language is no longer offered is treated as English", async () => {
    expect((await setUp({ language: "xxx", mode: "speak" }).write("Good day")).outputs).toEqual([
      text("Good day"),
      { kind: "speech", text: "Good day", language: "eng" },
    ]);
    expect((await setUp({ language: "xxx" }).write("status")).outputs).toEqual([
      text(wording.status({ ...initialSettings }, "English")),
    ]);
    const voiced = await setUp({ language: "xxx", voice: true }).write("What is the answer?");
    expect(voiced.outputs).toEqual([text("It is 42.")]);
  });

  it("in translate mode gets the translation into the person's language and nothing else", async () => {
    const { write, translate, chat } = setUp({ mode: "translate", language: "lug" });
    expect(await write("Thank you")).toEqual({
      outputs: [text("Webale")],
      changes: { exchange: { question: "Thank you", answer: "Webale", translated_into: "lug" } },
    });
    expect(translate).toHaveBeenCalledExactlyOnceWith(
      { text: "Thank you", sourceLanguage: undefined, targetLanguage: "Luganda" },
      { signal: expect.any(AbortSignal) },
    );
    expect(chat).not.toHaveBeenCalled();
  });

  it("in transcribe mode gets a reminder to send a voice note", async () => {
    const { write, chat } = setUp({ mode: "transcribe" });
    expect(await write("Hello there friend")).toEqual({
      outputs: [text(wording.sendVoiceNote)],
      changes: {},
    });
    expect(chat).not.toHaveBeenCalled();
  });

  it("in speak mode is repeated and read aloud, without asking a model", async () => {
    const { write, chat } = setUp({ mode: "speak", language: "lug" });
    expect(await write("Webale nnyo ssebo")).toEqual({
      outputs: [text("Webale nnyo ssebo"), { kind: "speech", text: "Webale nnyo ssebo", language: "lug" }],
      changes: {},
    });
    expect(chat).not.toHaveBeenCalled();
  });

  it("also gets a voice reply if the person wants it", async () => {
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

  it.each(["?", "a", "😀", "…", "  "])("without content (%j) gets a nudge", async (words) => {
    const { write, chat } = setUp();
    expect((await write(words)).outputs).toEqual([text(wording.nudge)]);
    expect(chat).not.toHaveBeenCalled();
  });

  it("from a new person gets a reply, and then a welcome", async () => {
    const plan = await setUp({}, { isFirst: true }).write("What is the answer?");
    expect(plan.outputs).toEqual([text("It is 42."), welcomeList(wording)]);
    expect(plan.changes).toEqual({
      exchange: { question: "What is the answer?", answer: "It is 42." },
      isFirst: true,
    });
  });
});

describe("a model that fails", () => {
  it("is sent once more with the message alone", async () => {
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
    expect(first?.[0]?.content).toContain("goats");
    expect(second?.[0]?.content).not.toContain("goats");
    expect(second?.[1]?.content).toBe("What is the answer?");
  });

  it("twice is apologised for, in words that say what to do, and not remembered", async () => {
    const { write, chat } = setUp();
    chat.mockRejectedValue(unavailable());
    const plan = await write("What is the answer?");
    expect(plan.outputs).toEqual([text(expect.stringContaining("two or three minutes"))]);
    expect(plan.changes).toEqual({});
    expect(chat).toHaveBeenCalledTimes(2);
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("model.failed", {
      task: "chat",
      code: "service_unavailable",
    });
  });

  it("is not repeated after the time has ended, and gets an apology", async () => {
    const { write, chat } = setUp({}, { signal: AbortSignal.abort(new Error("Time is up.")) });
    chat.mockRejectedValue(new Error("Time is up."));
    expect(await write("What is the answer?")).toEqual({
      outputs: [text(expect.stringContaining("two or three minutes"))],
      changes: {},
    });
    expect(chat).toHaveBeenCalledOnce();
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("model.failed", { task: "chat", code: "timed_out" });
  });

  it("by giving scaffolding or by going round in circles counts as failing", async () => {
    const { write, chat } = setUp();
    chat.mockResolvedValue({ text: "hello ".repeat(50), finishReason: "stop", usage: undefined });
    expect((await write("What is the answer?")).outputs).toEqual([
      text(expect.stringContaining("say it another way")),
    ]);
    expect(chat).toHaveBeenCalledTimes(2);
  });

  it("to translate is apologised for", async () => {
    const { write, translate } = setUp({ mode: "translate" });
    translate.mockRejectedValue(unavailable());
    expect((await write("Thank you")).outputs).toEqual([text(expect.stringContaining("busy"))]);
  });

  it("of which the model's context cannot hold the text says so", async () => {
    const { write, translate } = setUp({ mode: "translate" });
    translate.mockRejectedValue(new AppError("context_length_exceeded"));
    expect((await write("Thank you")).outputs).toEqual([text(expect.stringContaining("too long"))]);
  });

  it("for our own fault fails, without an apology", async () => {
    const { write, chat } = setUp();
    chat.mockRejectedValue(new TypeError("x is not a function"));
    await expect(write("What is the answer?")).rejects.toThrow("x is not a function");
    expect(chat).toHaveBeenCalledOnce();
  });
});

describe("a command", () => {
  it.each([
    ["hello", text(wording.greeting("Amina", "eng"))],
    ["menu", text(wording.menu("chat"))],
    ["help", text(wording.help)],
    ["status", text(wording.status(initialSettings, "English"))],
    ["set language", languageList("English", wording)],
    ["mode", modeList("chat", wording)],
    ["voice", voiceButtons(false, wording)],
    ["speak", text(wording.whatToSay)],
    ["languages", text(wording.languages(languageChoices))],
  ])("%j is executed without asking a model", async (words, output) => {
    const { write, chat } = setUp();
    expect(await write(words)).toEqual({ outputs: [output], changes: {} });
    expect(chat).not.toHaveBeenCalled();
  });

  it.each([
    ["mode translate", { mode: "translate" }, wording.modeSet("translate", "Acholi")],
    ["start over", { mode: "chat" }, wording.menu("chat")],
    ["cancel", { mode: "chat" }, wording.cancelled],
    ["voice on", { voice: true }, wording.voiceOn("Acholi")],
    ["text only", { voice: false }, wording.voiceOff],
  ])("%j changes the settings to %j and leaves the others", async (words, change, said) => {
    const before = { mode: "speak", language: "ach", voice: "voice" in change && !change.voice } as const;
    expect(await setUp(before).write(words)).toEqual({
      outputs: [text(said)],
      changes: { settings: { ...before, ...change } },
    });
  });

  it("turns voice replies on for later where the person's language has no voice", async () => {
    const settings = { mode: "chat", language: "lgg", voice: false } as const;
    expect(await setUp(settings).write("voice on")).toEqual({
      outputs: [text(wording.noVoiceFor("Lugbara"))],
      changes: { settings: { ...settings, voice: true } },
    });
  });

  it.each([
    ["set language Acholi", "ach", "Acholi"],
    ["Set language to luganda, please", "lug", "Luganda"],
    ["set my language: Teso", "teo", "Ateso"],
    ["set language nyn", "nyn", "Runyankole"],
    ["set language Kiswahili", "swa", "Swahili"],
  ])("%j chooses it at once, in any mode", async (words, code, name) => {
    for (const mode of ["chat", "translate", "transcribe", "speak"] as const) {
      const { write, translate, chat } = setUp({ mode });
      expect(await write(words)).toEqual({
        outputs: [text(wordingIn(code).languageSet(name))],
        changes: { settings: { ...initialSettings, mode, language: code }, writes_in: code },
      });
      expect([...translate.mock.calls, ...chat.mock.calls]).toEqual([]);
    }
  });

  it("for a language that is not offered says so, and shows the choice", async () => {
    expect(await setUp().write("set language Rukiga")).toEqual({
      outputs: [text(wording.languageNotOffered("Rukiga")), languageList("English", wording)],
      changes: {},
    });
    expect(await setUp().write("set language Klingon")).toEqual({
      outputs: [languageList("English", wording)],
      changes: {},
    });
  });

  it("greets and thanks in the person's language where there is a checked text, else in English", async () => {
    const startIn = async (language: string, said: "hello" | "a tap" | "a rating") => {
      const { write, tap } = setUp({ language });
      const [first] = (await (said === "hello" ? write("hello") : tap(said === "a tap" ? "?" : "Good")))
        .outputs;
      return first?.kind === "text" ? first.text.split("!")[0] : undefined;
    };
    const languages = ["lug", "nyn", "ach", "teo", "eng"];
    const all = (said: "hello" | "a tap" | "a rating") =>
      Promise.all(languages.map((language) => startIn(language, said)));
    expect(await all("hello")).toEqual(
      ["Gyebale ko", "Agandi", "Hello", "Hello", "Hello"].map((words) => `${words} Amina`),
    );
    const thanks = ["Webale", "Webare", "Apwoyo", "Thank you", "Thank you"];
    expect(await all("a tap")).toEqual(thanks);
    expect(await all("a rating")).toEqual(thanks);
  });
});

describe("a tap on a menu", () => {
  it.each([
    ["mode_chat", "Chat", { mode: "chat" }, wording.modeSet("chat", "English")],
    ["mode_translate", "Translate", { mode: "translate" }, wording.modeSet("translate", "English")],
    ["mode_tts", "Speak / TTS", { mode: "speak" }, wording.modeSet("speak", "English")],
    ["row 1", "Luganda", { language: "lug" }, wordingIn("lug").languageSet("Luganda")],
    ["language_nyn", "Runyankole", { language: "nyn" }, wording.languageSet("Runyankole")],
    ["tts_on", "Voice on", { voice: true }, wording.voiceOn("English")],
    ["tts_on", "Another title", { voice: true }, wording.voiceOn("English")],
    ["row 1", "Voice off", { voice: false }, wording.voiceOff],
    ["tts_off", "Another title", { voice: false }, wording.voiceOff],
    ["row 3", "Start Chatting", { mode: "chat" }, wording.startChatting],
    ["start_chatting", "Another title", { mode: "chat" }, wording.startChatting],
  ])("%s, %s changes %j", async (id, title, change, said) => {
    const { tap } = setUp({ mode: "transcribe" });
    expect(await tap(title, id)).toEqual({
      outputs: [text(said)],
      changes: {
        settings: { ...initialSettings, mode: "transcribe", ...change },
        ...("language" in change ? { writes_in: change.language } : {}),
      },
    });
  });

  it.each([
    ["Get Help", "row 1", text(wording.help)],
    ["Another title", "help", text(wording.help)],
    ["Set Language", "row 1", languageList("English", wording)],
    ["Another title", "set_language", languageList("English", wording)],
    ["Something Else", "row 1", text(wording.thanks("eng"))],
    ["good", "row 1", text(wording.thanks("eng"))],
  ])("on %j, %j gets a reply and changes nothing", async (title, id, output) => {
    expect(await setUp().tap(title, id)).toEqual({ outputs: [output], changes: {} });
  });

  it.each(["Excellent", "Good", "Fair", "Poor"])(
    "on the rating %s is stored alone when there was no conversation",
    async (value) => {
      expect(await setUp().tap(value, "row 1")).toEqual({
        outputs: [text(wording.thanksForRating("eng"))],
        changes: { feedback: { kind: "rating", value } },
      });
    },
  );

  it("on a rating of a reply with an unknown id is stored with the last exchange", async () => {
    const exchanges = [{ question: "q1", answer: "a1", replies: [] }];
    const plan = await setUp({}, { conversation: { exchanges } }).tap("Poor");
    expect(plan.changes).toEqual({
      feedback: { kind: "rating", value: "Poor", exchange: { question: "q1", answer: "a1" } },
    });
  });

  it("on a rating keeps it with the latest exchange", async () => {
    const exchanges = [
      { question: "q1", answer: "a1", replies: ["wamid.1"] },
      { question: "q2", answer: "a2", replies: ["wamid.2", "wamid.3"] },
    ];
    const plan = await setUp({}, { conversation: { exchanges } }).tap("Good");
    expect(plan.outputs).toEqual([text(wording.thanksForRating("eng"))]);
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

  it("is stored with the reply that it belongs to, and gets the rating list", async () => {
    const { reply } = setUp({}, { conversation: { exchanges } });
    expect(await reply({ type: "reaction", messageId: "wamid.1", emoji: "👍" })).toEqual({
      outputs: [ratingList(wording)],
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

  it("to a forgotten reply is stored alone", async () => {
    const { reply } = setUp({}, { conversation: { exchanges } });
    const plan = await reply({ type: "reaction", messageId: "wamid.old", emoji: "👎" });
    expect(plan.changes.feedback).toEqual({ kind: "reaction", value: "👎", reply: "wamid.old" });
  });
});

describe("a voice note", () => {
  it.each([
    ["who has chosen none, and writes in English", "eng", "eng", ["eng"]],
    ["who has chosen none, and writes in Luganda", "eng", "lug", ["eng", "lug"]],
    ["who has chosen Luganda, and writes in English", "lug", "eng", ["lug"]],
    ["whose writing is in a language without transcription", "eng", "adh", ["eng"]],
  ])("of a person %s is heard in their languages", async (_person, language, writes_in, heard) => {
    const { speak, transcribe } = setUp({ language }, { conversation: { writes_in } });
    await speak();
    expect(transcribe.mock.calls.map(([request]) => request.language)).toEqual(heard);
  });

  const transcript: Output = {
    kind: "text",
    text: wording.transcript("What is the answer?"),
    quoting: "wamid.in",
  };

  it("is acknowledged at once, transcribed in the person's language, quoted, and gets a reply", async () => {
    const { speak, saidNow, transcribe, download } = setUp({ language: "ach" });
    const plan = await speak();
    expect(saidNow).toEqual([text(wording.listening)]);
    expect(download).toHaveBeenCalledExactlyOnceWith("77", { signal: expect.any(AbortSignal) });
    expect(transcribe).toHaveBeenCalledExactlyOnceWith(
      {
        language: "ach",
        withSegments: false,
        speakers: "if-known",
        confidence: true,
        recording: expect.objectContaining({ mediaType: "audio/wav", fileExtension: "wav" }),
      },
      { signal: expect.any(AbortSignal) },
    );
    expect(plan.outputs).toEqual([transcript, text("It is 42.")]);
    expect(plan.changes.exchange).toEqual({ question: "What is the answer?", answer: "It is 42." });
  });

  it("of ten minutes is written down", async () => {
    const { speak, download, transcribe } = setUp({ mode: "transcribe" });
    const bytes = wavFile(audioBytes(600 * 8_000 * 2), { sampleRate: 8_000, stated: true });
    download.mockResolvedValue({ bytes });
    expect(await speak()).toEqual({ outputs: [transcript], changes: {} });
    expect(transcribe.mock.calls[0]?.[0].recording.source.size).toBe(bytes.length);
  });

  it("of two people has a line for each turn", async () => {
    const { speak, transcribe } = setUp({ mode: "transcribe" });
    const segments = [
      { start: 0, end: 1, text: "Oli otya?", speaker: "SPEAKER_01" },
      { start: 1, end: 2, text: "Bulungi.", speaker: "SPEAKER_00" },
    ];
    transcribe.mockResolvedValue({ text: "Oli otya? Bulungi.", segments });
    expect((await speak()).outputs).toMatchObject([
      { text: expect.stringContaining("A: Oli otya?\nB: Bulungi.") },
    ]);
  });

  const unsure: Transcription = { text: "What is the anser?", segments: undefined, confidence: 0.5 };
  const heard = { kind: "heard", text: "What is the anser?" } as const;

  it.each(["chat", "translate", "transcribe", "speak"] as const)(
    "that was hardly understood is read back first, in %s mode too",
    async (mode) => {
      const { speak, transcribe, chat } = setUp({ mode });
      transcribe.mockResolvedValue(unsure);
      const question = wording.understood("What is the anser?");
      expect(question).toMatch(/^I understood: “What is the anser\?” Is that right\?/);
      expect(await speak()).toEqual({
        outputs: [{ kind: "text", text: question, quoting: "wamid.in" }],
        changes: { open_question: heard },
      });
      expect(chat).not.toHaveBeenCalled();
    },
  );

  it.each([
    ["YES", "What is the anser?"],
    ["yes: What is the answer?", "What is the answer?"],
  ])("that was read back gets its reply after %s", async (words, question) => {
    const { write } = setUp({}, { conversation: { open_question: heard } });
    const { outputs, changes } = await write(words);
    expect(outputs).toEqual([text("It is 42.")]);
    expect(changes).toMatchObject({ exchange: { question }, open_question: null });
  });

  it("that was read back gets thanks for YES in transcribe mode, and what is written instead its own reply", async () => {
    const conversation = { open_question: heard };
    const { outputs } = await setUp({ mode: "transcribe" }, { conversation }).write("Yes");
    expect(outputs).toEqual([text(wording.thanks("eng"))]);
    const written = await setUp({}, { conversation }).write("What is the answer?");
    expect(written.changes).toMatchObject({
      exchange: { question: "What is the answer?" },
      open_question: null,
    });
  });

  it("that was hardly understood and is long says so, and is not asked about", async () => {
    const { speak, transcribe } = setUp({ mode: "transcribe" });
    transcribe.mockResolvedValue({ ...unsure, text: "A long story goes on. ".repeat(200) });
    const { outputs, changes } = await speak();
    expect(outputs[0]).toMatchObject({ text: expect.stringContaining(wording.unsure) });
    expect(changes).toEqual({});
  });

  it("that says more than four messages can hold is quoted in four", async () => {
    const { speak, transcribe } = setUp({ mode: "transcribe" });
    transcribe.mockResolvedValue({ text: "A long story goes on. ".repeat(1_000), segments: undefined });
    expect((await speak()).outputs).toHaveLength(4);
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
  ] as const)("that is %s gets a message that says so", async (reason, words) => {
    const { speak, download } = setUp();
    download.mockRejectedValue(new MediaError(reason, "It is not there."));
    expect((await speak()).outputs).toEqual([text(words)]);
  });

  it("that the platform cannot deliver now is left for another attempt, and only the last one says so", async () => {
    const unreachable = new MediaError("unreachable", "The platform is not there.");
    const first = setUp();
    first.download.mockRejectedValue(unreachable);
    await expect(first.speak()).rejects.toBe(unreachable);
    const last = setUp({}, { isLastAttempt: true });
    last.download.mockRejectedValue(unreachable);
    expect(await last.speak()).toEqual({ outputs: [text(wording.voiceNoteOutOfReach)], changes: {} });
    expect(wording.voiceNoteOutOfReach).toContain("not responding");
    expect(wording.voiceNoteOutOfReach).not.toContain("too old");
  });

  it("that did not arrive in the function's time is left for another attempt, and only the last one says so", async () => {
    const timeIsUp = new DOMException("Time is up.", "TimeoutError");
    const signal = AbortSignal.abort(timeIsUp);
    const first = setUp({}, { signal });
    first.download.mockRejectedValue(timeIsUp);
    await expect(first.speak()).rejects.toBe(timeIsUp);
    const last = setUp({}, { signal, isLastAttempt: true });
    last.download.mockRejectedValue(timeIsUp);
    expect((await last.speak()).outputs).toEqual([text(wording.voiceNoteOutOfReach)]);
  });

  it("that cannot be fetched for our own fault fails, also in the last attempt", async () => {
    const { speak, download } = setUp({}, { isLastAttempt: true });
    download.mockRejectedValue(new TypeError("x is not a function"));
    await expect(speak()).rejects.toThrow("x is not a function");
  });

  it.each([
    ["no audio at all", Buffer.from("%PDF-1.7 and so on"), wording.voiceNoteUnreadable],
    ["a damaged file", wav.subarray(0, 30), wording.voiceNoteUnreadable],
    ["longer than three hours", oggOpus(10_802), wording.voiceNoteTooLong],
  ])("that is %s gets a message that says so", async (_what, bytes, words) => {
    const { speak, download, transcribe } = setUp();
    download.mockResolvedValue({ bytes });
    expect((await speak()).outputs).toEqual([text(words)]);
    expect(transcribe).not.toHaveBeenCalled();
  });

  describe("of more than ten minutes", () => {
    const long = oggOpus(660);
    const now = Math.floor(Date.now() / 1_000);
    const inThreeDays = { job_id: "other", until: now + 3 * 86_400 };
    const over = { job_id: "other", until: now - 1 };

    it.each([undefined, over])("becomes a job, and its length is sent (before: %j)", async (before) => {
      const { speak, download, begin, transcribe } = setUp(
        { language: "lug", mode: "chat" },
        { conversation: before ? { long_recording: before } : {} },
      );
      download.mockResolvedValue({ bytes: long });
      expect(await speak()).toEqual({
        outputs: [text(wording.transcriptLater(11))],
        changes: { long_recording: { job_id: "job", until: expect.any(Number) } },
      });
      expect(begin).toHaveBeenCalledExactlyOnceWith({
        voiceNote: { id: "wamid.in", sender: "s", phoneNumberId: "1", name: "Amina Nakato" },
        source: expect.objectContaining({ size: long.length }),
        facts: expect.objectContaining({ container: "ogg", durationSeconds: 660 }),
        language: "lug",
      });
      expect(transcribe).not.toHaveBeenCalled();
    });

    it("is not taken while another one is at work", async () => {
      const { speak, download, begin } = setUp({}, { conversation: { long_recording: inThreeDays } });
      download.mockResolvedValue({ bytes: long });
      expect(await speak()).toEqual({ outputs: [text(wording.oneLongVoiceNote)], changes: {} });
      expect(begin).not.toHaveBeenCalled();
    });

    const quoted = (words: string): Output => ({ kind: "text", text: words, quoting: "wamid.long" });
    const sentence = "Oli otya ssebo nnyabo? ";
    const file: Output = {
      kind: "transcript",
      jobId: "job",
      caption: wording.transcriptAsFile,
      quoting: "wamid.long",
    };
    it.each<[string, LongRecordingOutcome | undefined, Output[]]>([
      ["a transcript", { kind: "transcribed", text: "Webale" }, [quoted("📝 Webale")]],
      [
        "a transcript that may be wrong",
        { kind: "transcribed", text: "Webale", isUnsure: true },
        [quoted(`📝 ${wording.unsure}\n\nWebale`)],
      ],
      ["a very long transcript", { kind: "transcribed", text: sentence.repeat(800) }, [file]],
      ["no words", { kind: "transcribed", text: " " }, [quoted(wording.noSpeech)]],
      ["a failure", { kind: "failed", code: "service_unavailable" }, [quoted(wording.notTranscribed)]],
      ["damage", { kind: "failed", code: "unreadable_audio" }, [quoted(wording.voiceNoteUnreadable)]],
    ])("ends with %s, and another one may be sent", async (_what, outcome, outputs) => {
      const { reply, outcomeOf } = setUp(
        {},
        { conversation: { long_recording: { ...inThreeDays, job_id: "job" } }, isFirst: true },
      );
      outcomeOf.mockResolvedValue(outcome);
      const content = { type: "transcript", jobId: "job", voiceNoteId: "wamid.long" } as const;
      expect(await reply(content)).toEqual({ outputs, changes: { long_recording: null } });
      expect(outcomeOf).toHaveBeenCalledExactlyOnceWith("job");
    });

    it.each([
      ["is no longer known leaves nothing", true, { forgets: true }],
      ["is known may send another one", false, { long_recording: null }],
    ])("that was cleared away, and whose sender %s", async (_what, isFirst, changes) => {
      const { reply, outcomeOf } = setUp(
        {},
        { conversation: { long_recording: { ...inThreeDays, job_id: "job" } }, isFirst },
      );
      outcomeOf.mockResolvedValue(undefined);
      const content = { type: "transcript", jobId: "job", voiceNoteId: "wamid.long" } as const;
      expect(await reply(content)).toEqual({ outputs: [], changes });
    });

    it("ends in up to four messages, of which the first quotes it", async () => {
      const { reply, outcomeOf } = setUp({}, { conversation: { long_recording: inThreeDays } });
      outcomeOf.mockResolvedValue({ kind: "transcribed", text: sentence.repeat(500) });
      const { outputs, changes } = await reply({
        type: "transcript",
        jobId: "job",
        voiceNoteId: "wamid.long",
      });
      expect(outputs.map((output) => "quoting" in output && output.quoting)).toEqual([
        "wamid.long",
        false,
        false,
      ]);
      expect(outputs.map((output) => (output.kind === "text" ? output.text : "")).join(" ")).toBe(
        `📝 ${sentence.repeat(500).trim()}`,
      );
      // Of another one that is at work nothing is forgotten.
      expect(changes).toEqual({});
    });
  });

  it("without words gets a message that says so", async () => {
    const { speak, transcribe } = setUp();
    transcribe.mockResolvedValue({ text: "  ", segments: undefined });
    expect((await speak()).outputs).toEqual([text(wording.noSpeech)]);
  });

  it("is tried a second time while the model is loading, and the person hears of it", async () => {
    const { speak, transcribe, saidNow } = setUp({ mode: "transcribe" });
    transcribe.mockRejectedValueOnce(unavailable());
    expect((await speak()).outputs).toEqual([transcript]);
    expect(saidNow).toEqual([text(wording.listening), text(wording.stillListening)]);
    const [first, second] = transcribe.mock.calls.map(([request]) => request);
    expect(second).toEqual(first);
  });

  it("is tried a second time when the model says nothing for too long", async () => {
    const { speak, transcribe, saidNow } = setUp({ mode: "transcribe" }, { giveUpAfter: 20 });
    transcribe.mockImplementationOnce(
      (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(unavailable()));
        }),
    );
    expect((await speak()).outputs).toEqual([transcript]);
    expect(saidNow).toHaveLength(2);
    expect(transcribe.mock.calls[1]?.[1].signal.aborted).toBe(false);
  });

  it("is not tried a second time when the time has ended, nor after our own fault", async () => {
    const over = setUp({}, { signal: AbortSignal.abort(new Error("Time is up.")) });
    over.download.mockResolvedValue({ bytes: wav });
    over.transcribe.mockRejectedValue(unavailable());
    await expect(over.speak()).rejects.toThrow("Time is up.");
    const broken = setUp();
    broken.transcribe.mockRejectedValue(new TypeError("x is not a function"));
    await expect(broken.speak()).rejects.toThrow("x is not a function");
    expect(broken.transcribe).toHaveBeenCalledOnce();
    expect(broken.saidNow).toEqual([text(wording.listening)]);
  });

  it("whose transcription takes all the time there is is apologised for", async () => {
    const over = new AbortController();
    const { speak, transcribe, saidNow } = setUp({}, { signal: over.signal });
    transcribe.mockImplementation(async () => {
      over.abort();
      throw unavailable();
    });
    expect(await speak()).toEqual({ outputs: [text(wording.notTranscribed)], changes: {} });
    expect(transcribe).toHaveBeenCalledOnce();
    expect(saidNow).toHaveLength(1);
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("model.failed", {
      task: "transcribe",
      code: "service_unavailable",
    });
  });

  it("that cannot be written down twice is apologised for", async () => {
    const { speak, transcribe } = setUp();
    transcribe.mockRejectedValue(unavailable());
    expect((await speak()).outputs).toEqual([text(wording.notTranscribed)]);
  });

  it("is quoted even when the model has no reply to it", async () => {
    const { speak, chat } = setUp();
    chat.mockRejectedValue(unavailable());
    expect((await speak()).outputs).toEqual([transcript, text(expect.stringContaining("busy"))]);
  });
});
