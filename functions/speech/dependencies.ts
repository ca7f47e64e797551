import type { Caller, RequestContext } from "../../shared/accounts/access/caller.ts";
import type { EncodeSound, SoundFormat } from "../../shared/audio/encode/audio-formats.ts";
import type { RequestFacts } from "../../shared/http/endpoint.ts";
import { type FunctionDefinition, workingMilliseconds } from "../../shared/http/function-definition.ts";
import type { SpeechSynthesizer } from "../../shared/models/inference/speech.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";

/** Everything the use cases of this feature touch. */
export interface SpeechDependencies {
  readonly synthesizer: SpeechSynthesizer;
  readonly encode: EncodeSound;
  readonly store: Pick<ObjectStore, "describe" | "signDownload" | "write">;
  /** As answers name them. */
  readonly model: string;
  readonly platform: string;
}

/** What speech is made for: whom, until when, and in which format. */
export interface SpeechContext extends RequestContext {
  readonly format: SoundFormat;
}

/**
 * On whose behalf a function makes speech, and until when. The signal of a request comes a second before the function's
 * time-out: too late to remove what it had begun to store.
 */
export const speechContext =
  (definition: Pick<FunctionDefinition, "timeoutSeconds">) =>
  ({ userId }: Caller, { signal }: RequestFacts, format: SoundFormat = "wav"): SpeechContext => ({
    userId,
    format,
    signal: AbortSignal.any([signal, AbortSignal.timeout(workingMilliseconds(definition))]),
  });
