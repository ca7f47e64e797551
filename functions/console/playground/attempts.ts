import type { SampleRequest } from "../../../shared/pages/samples/code-samples.ts";

/** The kinds of requests, in the order of the page. */
export const attemptNames = ["translate", "chat", "speak", "transcribe", "identify"] as const;
export type AttemptName = (typeof attemptNames)[number];

/** The addresses of the API and of streamed chat, without a slash at the end. */
export interface ApiAddresses {
  readonly api: string;
  readonly stream: string;
}

/** The input by the names of fields. */
export type AttemptValues = Readonly<Record<string, string>>;

export interface ChatTurn {
  readonly role: "user" | "assistant";
  readonly content: string;
}

interface AttemptDefinition {
  readonly values: AttemptValues;
  /**
   * @param earlier the conversation so far.
   * @param isStreamed whether a chat's response arrives as it is written.
   */
  request(
    values: AttemptValues,
    addresses: ApiAddresses,
    earlier?: readonly ChatTurn[],
    isStreamed?: boolean,
  ): SampleRequest;
}

const asJson = (url: string, value: object, gives?: SampleRequest["gives"]): SampleRequest => ({
  method: "POST",
  url,
  needsToken: true,
  body: { kind: "json", value },
  ...(gives === undefined ? {} : { gives }),
});

export const attemptDefinitions: Readonly<Record<AttemptName, AttemptDefinition>> = {
  translate: {
    values: { source: "eng", target: "lug", text: "Good morning. How are you?" },
    request: ({ source, target, text }, { api }) =>
      asJson(`${api}/tasks/translate`, {
        ...(source ? { source_language: source } : {}),
        target_language: target,
        text,
      }),
  },
  chat: {
    values: { text: "How do I say “thank you” in Luganda?" },
    request: ({ text = "" }, { stream }, earlier = [], isStreamed = true) =>
      asJson(
        `${stream}/tasks/chat/completions`,
        { messages: [...earlier, { role: "user", content: text }], stream: isStreamed },
        isStreamed ? "events" : "json",
      ),
  },
  speak: {
    values: { language: "lug", text: "Wasuze otya nno?", format: "mp3" },
    request: ({ language, voice, text, format = "mp3" }, { api }) =>
      asJson(
        `${api}/tasks/audio/speech`,
        { text, ...(voice ? { voice } : { language }), audio_format: format, response_mode: "stream" },
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

export const isAttemptName = (name: string | undefined): name is AttemptName =>
  attemptNames.some((known) => known === name);
