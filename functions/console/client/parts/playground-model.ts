import {
  parsed,
  resultIn,
  sentenceOf,
  textWithin,
} from "../../../../shared/pages/client/parts/read-response.ts";
import type { SampleRequest } from "../../../../shared/pages/samples/code-samples.ts";
import {
  type ApiAddresses,
  type AttemptName,
  attemptDefinitions,
  type ChatTurn,
} from "../../playground/attempts.ts";
import { eventsOf } from "./read.ts";
import type { Send } from "./send.ts";

/** What the model reads from the page and shows on it. */
export interface PlaygroundView {
  /** A sentence in the language of the page, by its key. */
  words(key: string): string;
  values(): Readonly<Record<string, string>>;
  /** The recording, or the file that was chosen. */
  file(): File | undefined;
  /** Moves the message from its field to the conversation. */
  moveMessage(): string;
  showCode(request: SampleRequest): void;
  /** @param voice that can read it aloud. */
  showResult(text: string, voice?: string): void;
  /** The first voice of a language, by its code. */
  voiceOf(language: string): string | undefined;
  /** Plays speech, and ends when it was heard. */
  listenTo(audio: Blob): void;
  showNote(text: string): void;
  /** @param status of the response, if there was one. */
  showError(sentence: string, status?: number): void;
  startReply(): { update(text: string): void; remove(): void };
  playAudio(audio: Blob, fileName: string): void;
  clear(): void;
  setRunning(isRunning: boolean): void;
  setNewConversation(isOffered: boolean): void;
  swapLanguages(): void;
}

/** A model that is loading needs most of this. */
const listenMilliseconds = 60_000;

/** The limit of the API for a file in a request. */
const maxFileBytes = Math.floor(4.4 * 1024 * 1024);

const fileProblem = (name: AttemptName, file: File | undefined): string | undefined => {
  if (name === "transcribe" && !file) return "noFile";
  return file && file.size > maxFileBytes ? "tooLarge" : undefined;
};

const textOf = (name: AttemptName, body: unknown, words: PlaygroundView["words"]): string => {
  if (name !== "identify") return resultIn(body) || words("silence");
  const code = resultIn(body);
  return words(`nameOf${code.charAt(0).toUpperCase()}${code.slice(1)}`) || words("unknown");
};

interface PlaygroundOptions {
  readonly view: PlaygroundView;
  readonly send: Send;
  readonly addresses: ApiAddresses;
  /** A format that the browser can play. */
  readonly speechFormat: "opus" | "mp3";
}

/** Sends requests of one kind, and keeps their conversation. */
export class PlaygroundModel {
  readonly #name: AttemptName;
  readonly #view: PlaygroundView;
  readonly #options: PlaygroundOptions;
  #conversation: readonly ChatTurn[] = [];
  #running: AbortController | undefined;

  constructor(name: AttemptName, options: PlaygroundOptions) {
    this.#name = name;
    this.#view = options.view;
    this.#options = options;
  }

  async run(): Promise<void> {
    const view = this.#view;
    const request = this.#describe();
    const file = view.file();
    view.showCode(request);
    if (this.#conversation.length === 0) view.clear();
    const problem = fileProblem(this.#name, file);
    if (problem) return view.showError(view.words(problem));
    if (this.#name === "chat") this.#addTurn("user", view.moveMessage());
    await this.#send(request, file);
  }

  stop(): void {
    this.#running?.abort();
  }

  startOver(): void {
    this.#conversation = [];
    this.#view.clear();
    this.#view.setNewConversation(false);
  }

  /** Requests the result as speech. */
  async listen(text: string, voice: string): Promise<void> {
    const view = this.#view;
    const { addresses, send, speechFormat } = this.#options;
    const request = attemptDefinitions.speak.request({ text, voice, format: speechFormat }, addresses);
    try {
      const response = await send("speak", request, undefined, AbortSignal.timeout(listenMilliseconds));
      if (response.ok) view.listenTo(await response.blob());
      else view.showError(sentenceOf(parsed(await response.text())), response.status);
    } catch {
      view.showError(view.words("unreachable"));
    }
  }

  swap(): void {
    this.#view.swapLanguages();
    this.showCode();
  }

  showCode(): void {
    this.#view.showCode(this.#describe());
  }

  #addTurn(role: ChatTurn["role"], content: string): void {
    this.#conversation = [...this.#conversation, { role, content }];
  }

  #describe(): SampleRequest {
    const { view, addresses, speechFormat } = this.#options;
    const { values, request } = attemptDefinitions[this.#name];
    const file = view.file();
    const own = { format: speechFormat, ...(file ? { audio: file.name } : {}) };
    return request({ ...values, ...view.values(), ...own }, addresses, this.#conversation);
  }

  #target(): string {
    return this.#view.values()["target"] ?? "";
  }

  async #send(request: SampleRequest, file: File | undefined): Promise<void> {
    const view = this.#view;
    this.#running = new AbortController();
    const { signal } = this.#running;
    view.setRunning(true);
    try {
      await this.#show(await this.#options.send(this.#name, request, file, signal));
    } catch {
      if (signal.aborted) view.showNote(view.words("stopped"));
      else view.showError(view.words("unreachable"));
    } finally {
      view.setRunning(false);
    }
  }

  async #show(response: Response): Promise<void> {
    const view = this.#view;
    if (!response.ok) return view.showError(sentenceOf(parsed(await response.text())), response.status);
    if (this.#name === "chat" && response.body) return this.#showReply(response.body);
    if (this.#name === "speak") {
      return view.playAudio(await response.blob(), `speech.${this.#options.speechFormat}`);
    }
    const text = textOf(this.#name, parsed(await response.text()), view.words);
    view.showResult(text, this.#name === "translate" ? view.voiceOf(this.#target()) : undefined);
  }

  async #showReply(body: ReadableStream<Uint8Array>): Promise<void> {
    const reply = this.#view.startReply();
    let content = "";
    try {
      for await (const data of eventsOf(body)) {
        const event = parsed(data);
        const problem = sentenceOf(event);
        if (problem !== "") this.#view.showError(problem);
        content += textWithin(event, "choices", 0, "delta", "content");
        reply.update(content);
      }
    } finally {
      // A reply that was stopped is part of the conversation too.
      if (content === "") reply.remove();
      else this.#addTurn("assistant", content);
      this.#view.setNewConversation(true);
    }
  }
}
