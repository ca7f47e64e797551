import { identifiableLanguages } from "../../../shared/models/language-id/identification.ts";
import {
  transcriptionLanguages,
  translationLanguages,
} from "../../../shared/platform/catalogue/languages.ts";
import { synthesisLanguages } from "../../../shared/platform/catalogue/voices.ts";
import { codeSamples } from "../samples/code-samples.ts";
import { fill } from "../texts/languages.ts";
import { CodeBlock, Notice } from "../view/components.tsx";
import { Select, TextArea } from "../view/forms.tsx";
import { useFrame } from "../view/frame.ts";
import {
  type ApiAddresses,
  type AttemptName,
  type AttemptValues,
  attemptDefinitions,
  attemptNames,
} from "./attempts.ts";

/** What somebody may do on the page: everything their account may, some tries a day without one, or read only. */
export type PlaygroundAccess =
  | { readonly kind: "account" }
  | { readonly kind: "visitor"; readonly attemptsPerDay: number }
  | { readonly kind: "closed" };

interface PlaygroundProps {
  readonly current: AttemptName;
  readonly values: AttemptValues;
  readonly addresses: ApiAddresses;
  readonly access: PlaygroundAccess;
}

const named = (languages: readonly { readonly code: string; readonly name: string }[]) =>
  languages
    .map(({ code, name }) => ({ value: code, label: name }))
    .toSorted((one, other) => one.label.localeCompare(other.label));

const translated = named(translationLanguages);
const transcribed = named(transcriptionLanguages);
const spoken = named(synthesisLanguages.filter(({ voices }) => voices.length > 0));
const identified = named(
  translationLanguages.filter(({ code }) => identifiableLanguages.some((known) => known === code)),
);

const Fields = ({ current, values }: Pick<PlaygroundProps, "current" | "values">) => {
  const { playground: words } = useFrame().texts;
  const text = <TextArea name="text" label={words.text} value={values["text"]} rows={3} />;
  switch (current) {
    case "translate":
      return (
        <>
          <Select
            name="source"
            label={words.from}
            value={values["source"]}
            options={[{ value: "", label: words.anyLanguage }, ...translated]}
            isOptional
          />
          <Select name="target" label={words.to} value={values["target"]} options={translated} />
          {text}
        </>
      );
    case "chat":
      return <TextArea name="text" label={words.message} value={values["text"]} rows={3} />;
    case "speak":
      return (
        <>
          <Select name="language" label={words.language} value={values["language"]} options={spoken} />
          {text}
        </>
      );
    case "transcribe":
      return (
        <>
          <Select name="language" label={words.language} value={values["language"]} options={transcribed} />
          <div class="field">
            <label for="audio">{words.recording}</label>
            <p class="hint" id="audio-hint">
              {words.recordingHint}
            </p>
            <input id="audio" name="audio" type="file" accept="audio/*" aria-describedby="audio-hint" />
          </div>
          <p>
            <button type="button" class="quiet" data-record hidden>
              {words.record}
            </button>
          </p>
          <p data-recorded />
        </>
      );
    case "identify":
      return text;
  }
};

/** What the script needs: where to ask, and its words. */
const dataOf = ({ current, addresses, access }: PlaygroundProps, frame: ReturnType<typeof useFrame>) => {
  const { texts, url, formToken } = frame;
  const words = texts.playground;
  const path = "/console/playground";
  return {
    "data-try": current,
    "data-api": addresses.api,
    "data-stream": addresses.stream,
    "data-form-token": formToken,
    ...(access.kind === "account" ? { "data-token": url(`${path}/token`) } : {}),
    ...(access.kind === "visitor"
      ? {
          "data-visitor": url(`${path}/visitor`),
          "data-sign-up": url("/console/sign-up"),
          "data-sign-up-label": texts.navigation.signUp,
        }
      : {}),
    "data-hint": words.resultHint,
    "data-run-label": words.run[current],
    "data-save": words.save,
    "data-silence": words.silence,
    "data-unknown": words.unknown,
    "data-stopped": words.stopped,
    "data-failed": words.failed,
    "data-unreachable": words.unreachable,
    "data-no-file": words.noFile,
    "data-too-large": words.tooLarge,
    "data-no-microphone": words.noMicrophone,
    "data-stop-recording": words.stopRecording,
    ...(current === "identify"
      ? Object.fromEntries(identified.map(({ value, label }) => [`data-name-of-${value}`, label]))
      : {}),
  };
};

/** One try, its answer, and its code. Without JavaScript the form asks for the page again, with the code of what was chosen. */
export const Playground = (props: PlaygroundProps) => {
  const frame = useFrame();
  const { texts, url } = frame;
  const { current, values, addresses, access } = props;
  const words = texts.playground;
  const samples = codeSamples(attemptDefinitions[current].request(values, addresses, []));
  const path = "/console/playground";
  return (
    <>
      <h1>{words.title}</h1>
      <p>{words.intro}</p>
      <nav class="row" aria-label={words.attemptsTitle}>
        {attemptNames.map((name) => (
          <a
            key={name}
            href={`${url(path)}?try=${name}`}
            aria-current={name === current ? "page" : undefined}
          >
            {words[name]}
          </a>
        ))}
      </nav>
      <h2>{words[current]}</h2>
      {access.kind === "closed" && (
        <Notice>
          <p>
            {words.logInFirst}{" "}
            <a href={`${url("/console/log-in")}?next=${encodeURIComponent(`${path}?try=${current}`)}`}>
              {texts.navigation.logIn}
            </a>
          </p>
        </Notice>
      )}
      {access.kind === "visitor" && (
        <Notice>
          <p>
            {fill(words.visitor, { count: access.attemptsPerDay })}{" "}
            <a href={url("/console/sign-up")}>{texts.navigation.signUp}</a>
          </p>
        </Notice>
      )}
      <form method="get" action={url(path)} {...dataOf(props, frame)}>
        <input type="hidden" name="try" value={current} />
        <Fields current={current} values={values} />
        <div class="row">
          <button type="submit" class="button" data-run>
            {words.showCode}
          </button>
          <button type="button" class="quiet" data-stop hidden>
            {words.stop}
          </button>
          <button type="button" class="quiet" data-new hidden>
            {words.newConversation}
          </button>
        </div>
      </form>
      <section aria-labelledby="answer">
        <h2 id="answer">{words.result}</h2>
        <div data-result aria-live="polite">
          {/* Where the script runs, it puts the hint in its place: also a script that did not arrive is told of. */}
          <p class="soft">{words.needsScript}</p>
        </div>
      </section>
      <section aria-labelledby="code">
        <h2 id="code">{words.code}</h2>
        <p class="soft">{words.codeText}</p>
        {(
          [
            ["curl", "curl"],
            ["typescript", "TypeScript"],
            ["python", "Python"],
          ] as const
        ).map(([language, label]) => (
          <div key={language} data-sample={language}>
            <CodeBlock label={label} code={samples[language]} />
          </div>
        ))}
      </section>
    </>
  );
};
