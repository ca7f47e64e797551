import type { SampleRequest } from "../samples/code-samples.ts";

/** What can be tried, in the order in which it is shown. */
export const attemptNames = ["translate", "chat", "speak", "transcribe", "identify"] as const;
export type AttemptName = (typeof attemptNames)[number];

/** Where requests go: the API, and the address at which answers are streamed. No slash at the end. */
export interface ApiAddresses {
  readonly api: string;
  readonly stream: string;
}

/** What somebody has chosen and written, by the names of the fields. */
export type AttemptValues = Readonly<Record<string, string>>;

/** One turn of a conversation. */
export interface ChatTurn {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** What a try asks, and what it begins with. */
interface AttemptDefinition {
  readonly values: AttemptValues;
  /** @param earlier the turns before this one, of a conversation. */
  request(values: AttemptValues, addresses: ApiAddresses, earlier: readonly ChatTurn[]): SampleRequest;
}

const asJson = (url: string, value: object, gives?: SampleRequest["gives"]): SampleRequest => ({
  method: "POST",
  url,
  needsToken: true,
  body: { kind: "json", value },
  ...(gives === undefined ? {} : { gives }),
});

/** Every try; nothing else knows which path it asks. */
export const attemptDefinitions: Readonly<Record<AttemptName, AttemptDefinition>> = {
  translate: {
    values: { source: "eng", target: "lug", text: "Good morning. How did you sleep?" },
    request: ({ source, target, text }, { api }) =>
      asJson(`${api}/tasks/translate`, {
        ...(source ? { source_language: source } : {}),
        target_language: target,
        text,
      }),
  },
  chat: {
    values: { text: "How do I say “thank you” in Luganda?" },
    request: ({ text = "" }, { stream }, earlier) =>
      asJson(
        `${stream}/tasks/chat/completions`,
        { messages: [...earlier, { role: "user", content: text }], stream: true },
        "events",
      ),
  },
  speak: {
    values: { language: "lug", text: "Wasuze otya nno?", format: "mp3" },
    request: ({ language, text, format = "mp3" }, { api }) =>
      asJson(
        `${api}/tasks/audio/speech`,
        { text, language, audio_format: format, response_mode: "stream" },
        { file: `speech.${format}` },
      ),
  },
  transcribe: {
    values: { language: "lug", audio: "recording.webm" },
    request: ({ language = "", audio = "" }, { api }) => ({
      method: "POST",
      url: `${api}/tasks/audio/transcriptions`,
      needsToken: true,
      body: { kind: "files", fields: { language }, file: { field: "audio", name: audio } },
    }),
  },
  identify: {
    values: { text: "Oli otya, ssebo?" },
    request: ({ text }, { api }) => asJson(`${api}/tasks/classify_language`, { text }),
  },
};

/** Whether something can be tried. */
export const isAttemptName = (name: string | undefined): name is AttemptName =>
  attemptNames.some((known) => known === name);
