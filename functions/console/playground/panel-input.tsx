import type { Texts } from "../../../shared/pages/texts/languages.ts";
import { FileField, optionsOf, Select } from "../../../shared/pages/view/forms.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import {
  transcriptionLanguages,
  translationLanguages,
} from "../../../shared/platform/catalogue/languages.ts";
import {
  findStageVoice,
  findSynthesisLanguage,
  synthesisLanguages,
} from "../../../shared/platform/catalogue/voices.ts";
import { onFirstUse } from "../../../shared/platform/on-first-use.ts";
import { acceptedRecordings } from "./accepted-recordings.ts";
import type { AttemptName, AttemptValues } from "./attempts.ts";

interface InputProps {
  readonly current: AttemptName;
  readonly values: AttemptValues;
}

const translated = onFirstUse(() => optionsOf(translationLanguages));
const transcribed = onFirstUse(() => optionsOf(transcriptionLanguages));
const speaking = synthesisLanguages.filter(({ voices }) => voices.length > 0);
/** The first voice of each language, for its script: `lug salt_lug_0001 …`. */
export const firstVoices = speaking.map(({ code, voices: [first = ""] }) => `${code} ${first}`).join(" ");

/** The voice that reads a text in this language; `undefined` when there is none. */
export const voiceFor = (language: string | undefined): string | undefined =>
  language === undefined ? undefined : findSynthesisLanguage(language)?.voices[0];

const Pair = ({ values }: { readonly values: AttemptValues }) => {
  const { playground: words } = useFrame().texts;
  const anyLanguage = { value: "", label: words.identify };
  return (
    <div class="pair">
      <Select
        name="source"
        label={words.from}
        value={values["source"]}
        options={[anyLanguage, ...translated()]}
      />
      <button type="submit" class="button secondary square" name="swap" value="yes" formNoValidate data-swap>
        <Icon name="swap" />
        <span class="aloud">{words.swap}</span>
      </button>
      <Select name="target" label={words.to} value={values["target"]} options={translated()} />
    </div>
  );
};

/** A voice for people: its name if the stage has one for it, else its tag. */
const labelOf = (voice: string, { genders }: Texts["playground"]): string => {
  const own = findStageVoice(voice);
  return own ? `${own.name} (${genders[own.gender]})` : voice;
};

const VoiceSelect = ({ value }: { readonly value: string | undefined }) => {
  const { playground: words } = useFrame().texts;
  return (
    <div class="field">
      <label for="voice">{words.voice}</label>
      <select id="voice" name="voice">
        {speaking.map(({ code, name, voices }) => (
          <optgroup key={code} label={name}>
            {voices.map((voice) => (
              <option key={voice} value={voice} selected={voice === value}>
                {`${name} · ${labelOf(voice, words)}`}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
};

/** The choice above the text. */
export const AttemptChoice = ({ current, values }: InputProps) => {
  const { recordings } = useFrame().texts;
  if (current === "translate") return <Pair values={values} />;
  if (current === "speak") {
    return (
      <div class="one">
        <VoiceSelect value={values["voice"] || voiceFor(values["language"])} />
      </div>
    );
  }
  if (current !== "transcribe") return null;
  return (
    <div class="one">
      <Select
        name="language"
        label={recordings.language}
        value={values["language"]}
        options={transcribed()}
      />
    </div>
  );
};

const Microphone = () => {
  const { playground: words } = useFrame().texts;
  return (
    <>
      <div class="microphone">
        <button type="button" class="button secondary" data-record hidden>
          <Icon name="microphone" />
          <span>{words.record}</span>
        </button>
        <meter data-level min={0} max={1} aria-label={words.level} hidden />
        <span class="figures" data-timer role="timer" hidden />
      </div>
      <div data-recorded />
    </>
  );
};

export const AttemptInput = ({ current, values }: InputProps) => {
  const { texts, url } = useFrame();
  const { playground: words, recordings } = texts;
  if (current === "transcribe") {
    return (
      <>
        <FileField name="audio" label={recordings.one} accept={acceptedRecordings} />
        <p class="hint">
          {words.recordingHint} <a href={url("/console/recordings")}>{words.toRecordings}</a>
        </p>
        <Microphone />
      </>
    );
  }
  const label = current === "chat" ? words.message : words.text;
  return (
    <>
      <label class="aloud" for="text">
        {label}
      </label>
      <textarea id="text" name="text" rows={3} placeholder={label} required>
        {values["text"]}
      </textarea>
    </>
  );
};
