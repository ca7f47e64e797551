import { findSynthesisLanguage } from "../../shared/platform/catalogue/voices.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";

/** A speaker of version 1, and the language by which a voice of today is found for it. */
const speaker = <const Id extends number>(
  id: Id,
  language: string,
  gender: "female" | "male",
  languageCode: string,
) => ({
  id,
  name: `${language}_${gender}`.toUpperCase(),
  display_name: `${language} (${gender})`,
  language,
  gender,
  languageCode,
});

/** The six fixed speakers of the model that version 1 had; theirs were never renamed when languages were. */
export const speakers = [
  speaker(241, "Acholi", "female", "ach"),
  speaker(242, "Ateso", "female", "teo"),
  speaker(243, "Runyankore", "female", "nyn"),
  speaker(245, "Lugbara", "female", "lgg"),
  speaker(246, "Swahili", "male", "swa"),
  speaker(248, "Luganda", "female", "lug"),
] as const;
export type Speaker = (typeof speakers)[number];
export type SpeakerId = Speaker["id"];

export const speakerIds = speakers.map(({ id }) => id);

/** Luganda's. */
export const defaultSpeakerId: SpeakerId = 248;

const hasVoice = ({ languageCode }: Speaker): boolean =>
  (findSynthesisLanguage(languageCode)?.voices.length ?? 0) > 0;

const speakable = speakers.filter(hasVoice);

/**
 * The speaker with this number.
 *
 * @throws AppError `no_speaker_for_language` when the model of today has no voice for its language, as for Lugbara.
 */
export const requireSpeaker = (id: SpeakerId): Speaker => {
  const found = speakable.find((each) => each.id === id);
  if (found) return found;
  const language = speakers.find((each) => each.id === id)?.language ?? "an unknown language";
  const others = speakable.map((each) => `${each.id} (${each.language})`).join(", ");
  throw new AppError("no_speaker_for_language", {
    message: `The speaker ${id} speaks ${language}, for which there is no voice any more. Choose another: ${others}.`,
    param: "speaker_id",
    extra: { supported_speaker_ids: speakable.map((each) => each.id) },
  });
};
