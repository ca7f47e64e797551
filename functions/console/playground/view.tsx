import { identifiableLanguages } from "../../../shared/models/language-id/identification.ts";
import {
  transcriptionLanguages,
  translationLanguages,
} from "../../../shared/platform/catalogue/languages.ts";
import { synthesisLanguages } from "../../../shared/platform/catalogue/voices.ts";
import { codeSamples } from "../samples/code-samples.ts";
import { fill } from "../texts/languages.ts";
import { CodeBlock } from "../view/code.tsx";
import { Notice } from "../view/components.tsx";
import { FileField, optionsOf, Select, TextArea } from "../view/forms.tsx";
import { useFrame } from "../view/frame.ts";
import {
  type ApiAddresses,
  type AttemptName,
  type AttemptValues,
  attemptDefinitions,
  attemptNames,
} from "./attempts.ts";

/** How the page can be used: with an account, a few times a day without one, or for reading only. */
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

const translated = optionsOf(translationLanguages);
const transcribed = optionsOf(transcriptionLanguages);
const spoken = optionsOf(synthesisLanguages.filter(({ voices }) => voices.length > 0));
const identified = optionsOf(
  translationLanguages.filter(({ code }) => identifiableLanguages.some((known) => known === code)),
);

const path = "/console/playground";

const TranscribeFields = ({ values }: Pick<PlaygroundProps, "values">) => {
  const { playground: words, recordings } = useFrame().texts;
  return (
    <>
      <Select name="language" label={recordings.language} value={values["language"]} options={transcribed} />
      <FileField name="audio" label={recordings.one} hint={words.recordingHint} accept="audio/*" />
      <p>
        <button type="button" class="button secondary" data-record hidden>
          {words.record}
        </button>
      </p>
      <p data-recorded />
    </>
  );
};

const Fields = ({ current, values }: Pick<PlaygroundProps, "current" | "values">) => {
  const { playground: words, recordings } = useFrame().texts;
  const { text, source, target, language } = values;
  if (current === "transcribe") return <TranscribeFields values={values} />;
  const anyLanguage = { value: "", label: words.identify };
  return (
    <>
      {current === "translate" && (
        <>
          <Select
            name="source"
            label={words.from}
            value={source}
            options={[anyLanguage, ...translated]}
            isOptional
          />
          <Select name="target" label={words.to} value={target} options={translated} />
        </>
      )}
      {current === "speak" && (
        <Select name="language" label={recordings.language} value={language} options={spoken} />
      )}
      <TextArea name="text" label={current === "chat" ? words.message : words.text} value={text} rows={3} />
    </>
  );
};

/** The addresses and words that the script needs. */
const dataOf = ({ current, addresses, access }: PlaygroundProps, frame: ReturnType<typeof useFrame>) => {
  const { texts, url, formToken } = frame;
  const words = texts.playground;
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
    "data-run-label": current === "chat" ? words.send : words[current],
    "data-save": words.save,
    "data-silence": texts.recordings.silence,
    "data-unknown": words.unknown,
    "data-stopped": words.stopped,
    "data-failed": texts.recordings.failed,
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

const Tabs = ({ current }: Pick<PlaygroundProps, "current">) => {
  const { texts, url } = useFrame();
  return (
    <nav class="row" aria-label={texts.playground.attemptsTitle}>
      {attemptNames.map((name) => (
        <a key={name} href={`${url(path)}?try=${name}`} aria-current={name === current ? "page" : undefined}>
          {texts.playground[name]}
        </a>
      ))}
    </nav>
  );
};

/** What people without an account can do here. */
const AccessNotice = ({ access, current }: Pick<PlaygroundProps, "access" | "current">) => {
  const { texts, url } = useFrame();
  const { playground: words, navigation } = texts;
  if (access.kind === "account") return null;
  const logIn = `${url("/console/log-in")}?next=${encodeURIComponent(`${path}?try=${current}`)}`;
  return (
    <Notice>
      {access.kind === "closed" ? (
        <p>
          {words.logInFirst} <a href={logIn}>{navigation.logIn}</a>
        </p>
      ) : (
        <p>
          {fill(words.visitor, { count: access.attemptsPerDay })}{" "}
          <a href={url("/console/sign-up")}>{navigation.signUp}</a>
        </p>
      )}
    </Notice>
  );
};

const Code = ({ current, values, addresses }: Omit<PlaygroundProps, "access">) => {
  const { playground: words } = useFrame().texts;
  const { curl, typescript, python } = codeSamples(
    attemptDefinitions[current].request(values, addresses, []),
  );
  const samples = [
    { language: "curl", label: "curl", code: curl },
    { language: "typescript", label: "TypeScript", code: typescript },
    { language: "python", label: "Python", code: python },
  ];
  return (
    <section aria-labelledby="code">
      <h2 id="code">{words.code}</h2>
      <p class="soft">{words.codeText}</p>
      {samples.map(({ language, label, code }) => (
        <div key={language} data-sample={language}>
          <CodeBlock label={label} code={code} />
        </div>
      ))}
    </section>
  );
};

/** The playground. Without JavaScript, the form requests the page again, with the code for what was entered. */
export const Playground = (props: PlaygroundProps) => {
  const frame = useFrame();
  const { current, values } = props;
  const words = frame.texts.playground;
  return (
    <>
      <h1>{frame.texts.navigation.playground}</h1>
      <p>{words.intro}</p>
      <Tabs current={current} />
      <h2>{words[current]}</h2>
      <AccessNotice {...props} />
      <form method="get" action={frame.url(path)} {...dataOf(props, frame)}>
        <input type="hidden" name="try" value={current} />
        <Fields current={current} values={values} />
        <div class="row">
          <button type="submit" class="button" data-run>
            {words.showCode}
          </button>
          <button type="button" class="button secondary" data-stop hidden>
            {frame.texts.recordings.stop}
          </button>
          <button type="button" class="button secondary" data-new hidden>
            {words.newConversation}
          </button>
        </div>
      </form>
      <section aria-labelledby="result">
        <h2 id="result">{words.result}</h2>
        <div data-result aria-live="polite">
          {/* The script replaces this, so it also appears when the script did not load. */}
          <p class="soft">{words.needsScript}</p>
        </div>
      </section>
      <Code {...props} />
    </>
  );
};
