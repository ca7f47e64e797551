import { findLanguages } from "../../../shared/models/listed-languages.ts";
import type { SampleRequest } from "../../../shared/pages/samples/code-samples.ts";
import { openAiSamples } from "../../../shared/pages/samples/openai-samples.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { type CodeTab, CodeTabs } from "../../../shared/pages/view/code.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon, type IconName } from "../../../shared/pages/view/icons.tsx";
import { MatDivider } from "../../../shared/pages/view/mat.tsx";
import { speechModel } from "../../../shared/platform/catalogue/audio-models.ts";
import { findLanguage } from "../../../shared/platform/catalogue/languages.ts";
import { allVoices, defaultVoices } from "../../../shared/platform/catalogue/voices.ts";
import { DailyRequests, type RequestsPerDay } from "../entry/daily-requests.tsx";
import { AttemptPanel, type PanelProps } from "../playground/panel.tsx";

export interface HomeProps extends Omit<PanelProps, "current" | "action"> {
  readonly isSignedIn: boolean;
  readonly perDay: RequestsPerDay;
}

/** The languages of the first chips: those that most callers look for, by their codes. */
const chosen = ["lug", "ach", "teo", "nyn", "lgg", "swa"];

const named = chosen.flatMap((code) => findLanguage(code) ?? []);

const Introduction = ({ isSignedIn, perDay }: Pick<HomeProps, "isSignedIn" | "perDay">) => {
  const { texts, url } = useFrame();
  const { home: words } = texts;
  return (
    <div class="within introduction">
      <h1>{words.headline}</h1>
      <div>
        <p class="lead">
          {fill(words.lead, {
            names: named
              .slice(0, 4)
              .map(({ name }) => name)
              .join(", "),
            count: findLanguages(undefined).length - 4,
          })}
        </p>
        <div class="row">
          <a class="button large" href={url(isSignedIn ? "/console" : "/console/sign-up")}>
            {isSignedIn ? words.toConsole : words.getKey}
          </a>
          <a class="button secondary large" href={url("/docs")}>
            {words.read}
          </a>
        </div>
        {!isSignedIn && <DailyRequests {...perDay} />}
      </div>
    </div>
  );
};

const Chips = () => {
  const { texts, url } = useFrame();
  return (
    <ul class="chips" aria-label={texts.home.someLanguages}>
      {named.map(({ code, name }) => (
        <li key={code}>
          <a class="chip" href={url(`/console/languages#${code}`)}>
            {name}
          </a>
        </li>
      ))}
      <li>
        <a class="chip all" href={url("/console/languages")}>
          {fill(texts.home.allLanguages, { count: findLanguages(undefined).length })}
          <Icon name="forward" />
        </a>
      </li>
    </ul>
  );
};

const Counts = () => {
  const { home: words } = useFrame().texts;
  const speaking = findLanguages("speak").length;
  const counts = [
    [findLanguages("translate").length, words.translated],
    [findLanguages("transcribe").length, words.transcribed],
    [allVoices.length, fill(words.spoken, { count: speaking })],
    [findLanguages("identify").length, words.identified],
  ] as const;
  return (
    <dl class="counts">
      {counts.map(([count, label]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{count}</dd>
        </div>
      ))}
    </dl>
  );
};

const addressOrKey = /base_?url|api_?key/i;

/** A sample whose changed lines are those with the address and the key. */
const markedTab = (tab: Omit<CodeTab, "changed">): CodeTab => ({
  ...tab,
  changed: tab.code.split("\n").flatMap((line, index) => (addressOrKey.test(line) ? [index + 1] : [])),
});

const speech = {
  model: speechModel,
  voice: defaultVoices[0] ?? "",
  input: "Wasuze otya nno?",
};

const OpenAi = ({ addresses: { api } }: Pick<HomeProps, "addresses">) => {
  const { texts, url } = useFrame();
  const { home: words } = texts;
  const request: SampleRequest = {
    method: "POST",
    url: `${api}/v1/audio/speech`,
    needsToken: true,
    body: { kind: "json", value: speech },
    gives: { file: "speech.mp3" },
  };
  const samples = openAiSamples("createV1Speech", request, api);
  if (samples === undefined) return null;
  return (
    <section class="two-sides" aria-labelledby="openai">
      <div>
        <h2 id="openai">{words.openAi}</h2>
        <p class="soft">{words.openAiText}</p>
        <a class="button secondary" href={url("/docs/guides/openai-sdk")}>
          {words.setUp}
          <Icon name="forward" />
        </a>
      </div>
      <CodeTabs
        tabs={[
          markedTab({ id: "openai", label: "TypeScript", language: "typescript", code: samples.node }),
          markedTab({ id: "openai-python", label: "Python", language: "python", code: samples.python }),
        ]}
      />
    </section>
  );
};

const reasons: readonly (readonly ["network" | "time" | "safe", IconName])[] = [
  ["network", "network"],
  ["time", "time"],
  ["safe", "safe"],
];

const Reasons = () => {
  const { home: words } = useFrame().texts;
  return (
    <section aria-labelledby="reasons">
      <h2 id="reasons" class="large-heading">
        {words.reasons.title}
      </h2>
      <div class="reasons">
        {reasons.map(([reason, icon]) => (
          <div key={reason}>
            <Icon name={icon} />
            <h3>{words.reasons[reason].title}</h3>
            <p>{words.reasons[reason].text}</p>
          </div>
        ))}
      </div>
    </section>
  );
};

/** The page that strangers see first: a translation to try, then what the service has. */
export const Home = ({ isSignedIn, perDay, ...panel }: HomeProps) => {
  const { texts, url } = useFrame();
  const { home: words } = texts;
  return (
    <>
      <div class="hero">
        <Introduction isSignedIn={isSignedIn} perDay={perDay} />
        <div class="on-the-mat">
          <div class="within">
            <AttemptPanel {...panel} current="translate" action="/" />
            <Chips />
          </div>
        </div>
      </div>
      <div class="within">
        <Counts />
        <MatDivider />
        <OpenAi addresses={panel.addresses} />
        <Reasons />
        <section class="last-call" aria-labelledby="last">
          <h2 id="last" class="large-heading">
            {words.last}
          </h2>
          <div class="row">
            <a class="button large" href={url(isSignedIn ? "/console/tokens" : "/console/sign-up")}>
              {words.getKey}
            </a>
            <a class="button secondary large" href={url("/console/playground")}>
              {words.tryIt}
            </a>
          </div>
        </section>
      </div>
    </>
  );
};
