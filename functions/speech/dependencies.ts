import type { SpeechSynthesizer } from "../../shared/inference/speech.ts";
import type { ObjectStore } from "../../shared/storage/object-store.ts";

/** Everything the use cases of this feature touch. */
export interface SpeechDependencies {
  readonly synthesizer: SpeechSynthesizer;
  readonly store: Pick<ObjectStore, "describe" | "signDownload" | "write">;
  /** As answers name them. */
  readonly model: string;
  readonly platform: string;
}

/** Who asks, and until when somebody waits for the answer. */
export interface Asking {
  readonly userId: number;
  readonly signal: AbortSignal;
}
