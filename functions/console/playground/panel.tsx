import { identifiableLanguages } from "../../../shared/models/language-id/identification.ts";
import { resultIn } from "../../../shared/pages/client/parts/read-response.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { CopyButton } from "../../../shared/pages/view/components.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import { Mark } from "../../../shared/pages/view/mark.tsx";
import { translationLanguages } from "../../../shared/platform/catalogue/languages.ts";
import type { ApiAddresses, AttemptName, AttemptValues, ChatTurn } from "./attempts.ts";
import { AttemptChoice, AttemptInput, firstVoices } from "./panel-input.tsx";
import type { AttemptResult } from "./run-attempt.ts";

/** How a page can send requests: with an account, a few times a day without one, or not at all. */
export type AttemptAccess =
  | { readonly kind: "account" }
  | { readonly kind: "visitor"; readonly attemptsPerDay: number }
  | { readonly kind: "closed" };

export interface PanelProps {
  readonly current: AttemptName;
  readonly values: AttemptValues;
  readonly addresses: ApiAddresses;
  readonly access: AttemptAccess;
  /** Where the form is sent without JavaScript, below the stage's prefix. */
  readonly action: string;
  /** What a request without JavaScript has given. */
  readonly result?: AttemptResult | undefined;
  /** The link to the result as speech, without the stage's prefix. */
  readonly speech?: string | undefined;
  /** The conversation so far, without JavaScript. */
  readonly turns?: readonly ChatTurn[];
}

const playground = "/console/playground";

const identified = translationLanguages.filter(({ code }) =>
  identifiableLanguages.some((known) => known === code),
);

const labelOfRun = (
  current: AttemptName,
  words: ReturnType<typeof useFrame>["texts"]["playground"],
): string => (current === "chat" ? words.send : words[current]);

const Actions = ({ current, access }: Pick<PanelProps, "current" | "access">) => {
  const { playground: words, recordings } = useFrame().texts;
  return (
    <div class="acts">
      <button type="button" class="button quiet" data-stop hidden>
        <Icon name="stop" />
        {recordings.stop}
      </button>
      <button type="button" class="button quiet" data-new hidden>
        {words.newConversation}
      </button>
      {/* Only its script can send a recording. */}
      <button
        type="submit"
        class="button"
        data-run
        disabled={access.kind === "closed" || current === "transcribe"}
      >
        {labelOfRun(current, words)}
      </button>
    </div>
  );
};

const ResultText = ({ current, body }: { readonly current: AttemptName; readonly body: unknown }) => {
  const { playground: words } = useFrame().texts;
  const text = resultIn(body);
  if (current !== "identify") return <p class="answer">{text}</p>;
  return <p class="answer">{identified.find(({ code }) => code === text)?.name ?? words.unknown}</p>;
};

/** What the result's pane shows before a script runs. */
const ResultContent = ({
  current,
  result,
  speech,
  turns = [],
}: Pick<PanelProps, "current" | "result" | "speech" | "turns">) => {
  const { texts, url } = useFrame();
  const { playground: words } = texts;
  const audio =
    speech === undefined ? null : (
      // biome-ignore lint/a11y/useMediaCaption: the words that it speaks stand above it
      <audio controls preload="none" src={url(speech)} aria-label={words.listen} />
    );
  const isRefused = result?.kind === "problem";
  return (
    <>
      {turns.map(({ role, content }, index) => (
        <p key={index} class={role === "user" ? "turn own" : "turn"}>
          {content}
        </p>
      ))}
      {isRefused && (
        <p class="error" role="alert">
          <Icon name="problem" />
          {result.sentence}
        </p>
      )}
      {result?.kind === "result" && turns.length === 0 && current !== "speak" && (
        <ResultText current={current} body={result.body} />
      )}
      {audio}
      {result === undefined && speech === undefined && turns.length === 0 && (
        <p class="soft">{current === "transcribe" ? words.needsScript : words.resultHint}</p>
      )}
    </>
  );
};

const Result = (props: PanelProps) => {
  const { playground: words } = useFrame().texts;
  const { current } = props;
  return (
    <div data-copied>
      <h2 class="aloud">{words.result}</h2>
      <div data-result aria-live="polite">
        <ResultContent {...props} />
      </div>
      {current !== "speak" && (
        <div class="acts" data-after hidden>
          {current === "translate" && (
            <button type="button" class="listen" data-listen hidden>
              <Icon name="play" />
              {words.listen}
              <Mark />
            </button>
          )}
          <CopyButton look="button quiet" />
        </div>
      )}
    </div>
  );
};

/** What people without an account can do here. */
const AccessNote = ({ access, action }: Pick<PanelProps, "access" | "action">) => {
  const { texts, url } = useFrame();
  const { playground: words, navigation } = texts;
  if (access.kind === "account") return null;
  const logIn = `${url("/console/log-in")}?next=${encodeURIComponent(action)}`;
  return (
    <p class="attempts">
      {access.kind === "closed" ? (
        <>
          {words.logInFirst} <a href={logIn}>{navigation.logIn}</a>
        </>
      ) : (
        <>
          <span>{fill(words.visitor, { count: access.attemptsPerDay })}</span>
          <a href={url("/console/sign-up")}>{words.signUpForMore}</a>
        </>
      )}
    </p>
  );
};

/** The addresses and words that the script needs. */
const dataOf = ({ current, addresses, access }: PanelProps, frame: ReturnType<typeof useFrame>) => {
  const { texts, url, formToken } = frame;
  const words = texts.playground;
  return {
    "data-try": current,
    "data-api": addresses.api,
    "data-stream": addresses.stream,
    "data-form-token": formToken,
    "data-voices": firstVoices,
    ...(access.kind === "account" ? { "data-token": url(`${playground}/token`) } : {}),
    ...(access.kind === "visitor"
      ? {
          "data-visitor": url(`${playground}/visitor`),
          "data-sign-up": url("/console/sign-up"),
          "data-sign-up-label": texts.navigation.signUp,
        }
      : {}),
    "data-hint": words.resultHint,
    "data-busy": words.working,
    "data-save": words.save,
    "data-silence": texts.recordings.silence,
    "data-unknown": words.unknown,
    "data-stopped": words.stopped,
    "data-failed": texts.recordings.failed,
    "data-unreachable": words.unreachable,
    "data-no-file": words.noFile,
    "data-too-large": words.tooLarge,
    "data-recordings": url("/console/recordings"),
    "data-recordings-label": words.toRecordings,
    "data-no-microphone": words.noMicrophone,
    "data-stop-recording": words.stopRecording,
    ...(current === "identify"
      ? Object.fromEntries(identified.map(({ code, name }) => [`data-name-of-${code}`, name]))
      : {}),
  };
};

/** One kind of request to try: its input and its result. Works without JavaScript but for recordings. */
export const AttemptPanel = (props: PanelProps) => {
  const frame = useFrame();
  const { current, action, values, turns = [] } = props;
  return (
    <form class="panel" method="post" action={frame.url(action)} {...dataOf(props, frame)}>
      <input type="hidden" name="form_token" value={frame.formToken} />
      {turns.length > 0 && <input type="hidden" name="earlier" value={JSON.stringify(turns)} />}
      <AttemptChoice current={current} values={values} />
      <div class="sides">
        <div>
          <AttemptInput current={current} values={values} />
          <Actions {...props} />
        </div>
        <Result {...props} />
      </div>
      <AccessNote {...props} />
    </form>
  );
};
