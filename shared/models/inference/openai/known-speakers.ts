import type { Transcription, TranscriptionRequest } from "../transcription.ts";
import { type Backend, NoSpeakers } from "./backend.ts";

/** Which servers distinguish speakers: those whose profile says so, and as this process has learned from their replies. */
export class KnownSpeakers {
  readonly #learned = new WeakMap<Backend, boolean>();

  /** Whether a server is known to distinguish speakers. */
  isSure(backend: Backend): boolean {
    return backend.model.profile.transcription.diarizes ?? this.#learned.get(backend) ?? false;
  }

  /** Whether it is not known that a server does not. */
  mayDistinguish(backend: Backend): boolean {
    return backend.model.profile.transcription.diarizes ?? this.#learned.get(backend) ?? true;
  }

  learn(backend: Backend, distinguishes: boolean): void {
    this.#learned.set(backend, distinguishes);
  }

  /**
   * Learns from a transcription for which speakers were requested.
   *
   * @throws NoSpeakers when it has none, the request requires them, and the server never had any.
   */
  require({ speakers }: TranscriptionRequest, backend: Backend, { text, segments }: Transcription): void {
    const hasSpeakers = segments?.some(({ speaker }) => speaker !== undefined) ?? false;
    if (!hasSpeakers && (text === "" || this.isSure(backend))) return;
    this.learn(backend, hasSpeakers);
    if (!hasSpeakers && speakers === "required") throw new NoSpeakers();
  }
}
