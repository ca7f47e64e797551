import { logger } from "../../../platform/telemetry/logger.ts";
import { servesLanguage } from "../language-codes.ts";
import { type Backend, type Backends, UnknownLanguage } from "./backend.ts";

/** The languages that the servers of a task know. The log names each unknown one once for a server and process. */
export class KnownLanguages {
  readonly #backends: Backends;
  readonly #task: "speech" | "transcription" | "translation";
  readonly #logged = new Set<string>();

  constructor(backends: Backends, task: "speech" | "transcription" | "translation") {
    this.#backends = backends;
    this.#task = task;
  }

  /** Whether a server serves languages, as far as its profile says. @param codes of ISO 639-3; `undefined` is any language. */
  serves({ model: { profile } }: Backend, ...codes: readonly (string | undefined)[]): boolean {
    return codes.every((code) => code === undefined || servesLanguage(profile[this.#task], code));
  }

  /** @throws UnknownLanguage when no server serves all of the languages. */
  require(...codes: readonly (string | undefined)[]): void {
    if (this.#backends.some((backend) => this.serves(backend, ...codes))) return;
    const isUnknown = (code: string | undefined) => !this.#backends.some((each) => this.serves(each, code));
    const unknown = codes.find(isUnknown) ?? codes.find((code) => code !== undefined);
    if (unknown === undefined) return;
    throw this.refusal(unknown, this.#backends.map(({ name = this.#task }) => name).join(", "));
  }

  /** The error for a language that a server does not know. */
  refusal(code: string, server: string = this.#task): UnknownLanguage {
    const key = `${server} ${code}`;
    if (!this.#logged.has(key))
      logger.error("model.language_unknown", { backend: this.#task, server, language: code });
    this.#logged.add(key);
    return new UnknownLanguage(code);
  }
}
