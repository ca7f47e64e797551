import { bufferSource } from "../../../audio/read-audio.ts";
import { silence } from "../../../audio/wav/mono-wav.ts";
import type { WholeResponse } from "../../../platform/outbound/read-response.ts";
import type { UploadBody } from "../../../platform/outbound/upload.ts";
import { servesLanguage } from "../language-codes.ts";
import type { Backend } from "./backend.ts";
import { toBody } from "./transcription-form.ts";

/** What servers say of a language that they do not know (vLLM, OpenAI, faster-whisper), or of the field with it (FastAPI). */
const languageWords = /\blanguage\b(?! model)/i;
const refusalWords =
  /unsupported|not supported|invalid|not a valid|unknown|unrecogni[sz]ed|must be one of|should be|not available/i;

/** A validation error that is about another field may quote this one. */
const otherField = /"loc"\s*:\s*\[(?![^\]]*"language")/;

const saysUnknown = ({ statusCode, body }: WholeResponse): boolean =>
  [400, 422, 500].includes(statusCode) &&
  languageWords.test(body) &&
  refusalWords.test(body) &&
  !otherField.test(body);

/** The body of a failure that says nothing. */
const noWords = /^\s*(?:\{\s*"(?:detail|error|message)"\s*:\s*)?"?(?:internal server error\.?)?"?\s*\}?\s*$/i;

const isWordless = ({ statusCode, body }: WholeResponse): boolean => statusCode === 500 && noWords.test(body);

/** Languages that most models know. */
const commonLanguages = ["eng", "fra", "swa"];

/** The languages that a profile names, or common ones, by their ISO 639-3 codes. */
export const likelyLanguages = ({
  model: {
    profile: { transcription },
  },
}: Pick<Backend, "model">): readonly string[] => {
  const { languages, language_codes: codes } = transcription;
  const named = languages ?? (typeof codes === "object" ? Object.keys(codes) : commonLanguages);
  return named.filter((code) => servesLanguage(transcription, code));
};

/** A request for the transcription of a second of silence. */
export const silentBody = ({ model }: Pick<Backend, "model">, language: string): UploadBody => {
  const recording = { source: bufferSource(silence()), mediaType: "audio/wav", fileExtension: "wav" };
  const form = { format: "json", withWords: false, isStreamed: false } as const;
  return toBody({ recording, language, withSegments: false }, model, form);
};

type Ask = (body: UploadBody) => Promise<WholeResponse>;

/** Whether a server transcribes silence in another language, and fails in this one. */
const failsOnlyFor = async (language: string, backend: Backend, ask: Ask): Promise<boolean> => {
  const other = likelyLanguages(backend).find((code) => code !== language);
  if (other === undefined) return false;
  if ((await ask(silentBody(backend, other))).statusCode !== 200) return false;
  return (await ask(silentBody(backend, language))).statusCode >= 400;
};

/**
 * Decides whether a failure means that a server does not know the language. A server that fails without words is tried with silence,
 * once for each language and process.
 */
export class LanguageProbe {
  readonly #verdicts = new Map<Backend, Map<string, Promise<boolean>>>();

  async refuses(language: string, backend: Backend, response: WholeResponse, ask: Ask): Promise<boolean> {
    if (saysUnknown(response)) return true;
    if (!isWordless(response)) return false;
    const verdicts = this.#verdicts.get(backend) ?? new Map<string, Promise<boolean>>();
    this.#verdicts.set(backend, verdicts);
    const verdict = verdicts.get(language) ?? failsOnlyFor(language, backend, ask).catch(() => false);
    verdicts.set(language, verdict);
    return verdict;
  }
}
