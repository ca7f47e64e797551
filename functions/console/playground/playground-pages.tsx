import { type Scope, scopes } from "../../../shared/accounts/access/api-keys.ts";
import { parsed, sentenceOf } from "../../../shared/pages/client/parts/read-response.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { data, redirect, sentFile, shown } from "../../../shared/pages/server/responses.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { accessOf, speechLink, submitAttempt } from "./attempt-page.ts";
import { firstValues } from "./first-values.ts";
import { signPageToken } from "./page-token.ts";
import {
  docsTokenPage,
  playgroundPage,
  playgroundSpeechPage,
  playgroundTokenPage,
  sessionPage,
} from "./pages.ts";
import { type AttemptDependencies, runAttempt } from "./run-attempt.ts";
import { Playground } from "./view.tsx";

/** What these pages use. */
export type PlaygroundDependencies = AttemptDependencies;

/** The page has no uploads and long recordings. */
const pageScopes: readonly Scope[] = scopes.filter((scope) => scope !== "upload" && scope !== "jobs");

const attempts = (dependencies: AttemptDependencies): BoundPage => {
  const { addresses, visitorAttemptsPerDay } = dependencies;
  return page(playgroundPage, {
    show: (visit) => {
      const { try: current, ...linked } = visit.query;
      const given = Object.entries({ ...linked, ...visit.values }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      const { form, fields } = visit.problems;
      const sentence = form ?? Object.values(fields).find((problem) => problem !== undefined);
      return shown({
        content: (
          <Playground
            current={current}
            values={{ ...firstValues(current), ...Object.fromEntries(given) }}
            addresses={addresses}
            access={accessOf(visit, visitorAttemptsPerDay)}
            result={sentence === undefined ? undefined : { kind: "problem", sentence, status: 400 }}
          />
        ),
      });
    },
    submit: async (visit) => {
      const { try: current } = visit.query;
      const outcome = await submitAttempt(visit, current, visit.form, dependencies);
      const access = accessOf(visit, visitorAttemptsPerDay);
      return shown({
        content: <Playground {...{ current, addresses, access }} {...outcome} />,
        status: outcome.result?.kind === "problem" ? outcome.result.status : 200,
      });
    },
  });
};

const speech = (dependencies: AttemptDependencies): BoundPage =>
  page(playgroundSpeechPage, {
    show: async (visit) => {
      const { text, voice, signature } = visit.query;
      if (signature === "" || signature !== visit.sign(speechLink(text, voice)))
        throw new AppError("forbidden");
      const attempt = { name: "speak", values: { text, voice } } as const;
      const { status, contentType, body } = await runAttempt(visit, attempt, dependencies);
      if (status < 400) return sentFile({ contentType, body });
      const message = sentenceOf(parsed(body.toString()));
      throw new AppError(status === 429 ? "rate_limited" : "service_unavailable", { message });
    },
  });

/** The playground, speech without its script, and what scripts read: tokens, and who is logged in. */
export const playgroundPages = (dependencies: PlaygroundDependencies): BoundPage[] => [
  attempts(dependencies),
  speech(dependencies),
  page(playgroundTokenPage, {
    show: () => redirect(playgroundPage.path),
    submit: async (visit) => data(await signPageToken(visit, pageScopes, dependencies.tokens)),
  }),
  page(docsTokenPage, {
    show: () => redirect("/docs"),
    submit: async (visit) => data(await signPageToken(visit, scopes, dependencies.tokens)),
  }),
  page(sessionPage, {
    show: ({ account, formToken }) =>
      data({ username: account?.username ?? null, form_token: account ? formToken : null }),
  }),
];
