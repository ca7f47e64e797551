import { findSynthesisLanguage } from "../../shared/platform/catalogue/voices.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";

/** A speaker of version 1, and the language whose voice speaks for it today. */
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

/** The six fixed speakers of version 1. Their names did not change when languages were renamed. */
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

export const defaultSpeakerId: SpeakerId = 248;

const hasVoice = ({ languageCode }: Speaker): boolean =>
  (findSynthesisLanguage(languageCode)?.voices.length ?? 0) > 0;

const speakable = speakers.filter(hasVoice);

/** Returns the speaker with this id. @throws AppError `no_speaker_for_language` when its language has no voice today. */
export const requireSpeaker = (id: SpeakerId): Speaker => {
  const found = speakable.find((each) => each.id === id);
  if (found) return found;
  const language = speakers.find((each) => each.id === id)?.language ?? "an unknown language";
  const others = speakable.map((each) => `${each.id} (${each.language})`).join(", ");
  const choice = others === "" ? "No other speaker has one." : `Choose another speaker: ${others}.`;
  throw new AppError("no_speaker_for_language", {
    message: `Speaker ${id} speaks ${language}, which no longer has a voice. ${choice}`,
    param: "speaker_id",
    extra: { supported_speaker_ids: speakable.map((each) => each.id) },
  });
};
