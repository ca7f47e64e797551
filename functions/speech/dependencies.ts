import type { Caller, RequestContext } from "../../shared/accounts/access/caller.ts";
import type { AudioFormat, EncodeAudio } from "../../shared/audio/encode/audio-formats.ts";
import type { RequestFacts } from "../../shared/http/exchange.ts";
import { type FunctionDefinition, workingMilliseconds } from "../../shared/http/function-definition.ts";
import type { SpeechSynthesizer } from "../../shared/models/inference/speech.ts";
import type { LinkedObjectStore } from "../../shared/platform/storage/object-store.ts";

export interface SpeechDependencies {
  readonly synthesizer: SpeechSynthesizer;
  readonly encode: EncodeAudio;
  readonly store: Pick<LinkedObjectStore, "describe" | "signDownload" | "write">;
  /** Days after which stored speech is deleted; without it, it is stored as long as the account exists. */
  readonly speechLifetimeDays?: number | undefined;
  /** As in responses. */
  readonly model: string;
  readonly platform: string;
}

/** The caller, the deadline and the format of speech. */
export interface SpeechContext extends RequestContext {
  readonly format: AudioFormat;
}

/**
 * The account and its deadline. A request's own signal aborts a second before the function's timeout: too late to
 * remove what was being stored.
 */
export const speechContext =
  (definition: Pick<FunctionDefinition, "timeoutSeconds">) =>
  ({ userId }: Caller, { signal }: RequestFacts, format: AudioFormat = "wav"): SpeechContext => ({
    userId,
    format,
    signal: AbortSignal.any([signal, AbortSignal.timeout(workingMilliseconds(definition))]),
  });
