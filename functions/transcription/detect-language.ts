import type { RequestContext } from "../../shared/accounts/access/caller.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { countAudio } from "../../shared/platform/telemetry/use.ts";
import { checkCandidates } from "../../shared/recordings/spoken-language/candidates.ts";
import {
  detectSpokenLanguage,
  type UnnamedDependencies,
} from "../../shared/recordings/spoken-language/transcribe-unnamed.ts";
import type { RecordingDependencies } from "../../shared/recordings/uploads/open-upload.ts";
import { type DetectionForm, unknownLanguage } from "./contract.ts";
import { openRecording } from "./open-recording.ts";

export interface DetectionDependencies extends RecordingDependencies, UnnamedDependencies {}

/**
 * Detects the language of a recording.
 *
 * @throws AppError `language_required` where no model detects languages and neither the request nor the account names candidates,
 * `unsupported_parameter` where they are too many; as {@link openRecording} and the transcriber do.
 */
export const detectLanguage = async (
  form: DetectionForm,
  context: RequestContext & { readonly defaultLanguages: readonly string[] },
  dependencies: DetectionDependencies,
): Promise<{ readonly detected_language: string }> => {
  const { languages = context.defaultLanguages } = form;
  const candidates = [...new Set(languages)];
  if (candidates.length === 0 && !dependencies.detectsLanguages) {
    throw new AppError("language_required", {
      message:
        "The languages that the recording may be in are not known: name up to three in `languages`, or set the `default_languages` of " +
        "your account with PUT /auth/profile.",
      param: "languages",
    });
  }
  checkCandidates(candidates, dependencies.detectsLanguages);
  const recording = await openRecording(form, context, dependencies);
  const { language, seconds } = await detectSpokenLanguage(
    { recording, candidates },
    dependencies,
    context.signal,
  );
  countAudio(seconds);
  return { detected_language: language ?? unknownLanguage };
};
