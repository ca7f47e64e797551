import type { AccountPolicies } from "../../../shared/accounts/limits/policies.ts";
import { service } from "../../../shared/http/function-definition.ts";
import { findLanguages } from "../../../shared/models/listed-languages.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { data, type PageResponse, shown } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { dailyRequests } from "../entry/daily-requests.tsx";
import { accessOf, submitAttempt } from "../playground/attempt-page.ts";
import { attemptDefinitions } from "../playground/attempts.ts";
import type { PanelProps } from "../playground/panel.tsx";
import type { AttemptDependencies } from "../playground/run-attempt.ts";
import { Home } from "./home.tsx";
import { consoleHomePage } from "./pages.ts";

/** What these pages use. */
export interface HomeDependencies extends AttemptDependencies {
  readonly policyOf: AccountPolicies;
}

const homeOf = (
  visit: Visit,
  outcome: Pick<PanelProps, "values" | "result" | "speech">,
  { addresses, visitorAttemptsPerDay, policyOf }: HomeDependencies,
): PageResponse<never> => {
  return shown({
    content: (
      <Home
        {...outcome}
        addresses={addresses}
        access={accessOf(visit, visitorAttemptsPerDay)}
        isSignedIn={visit.account !== undefined}
        perDay={dailyRequests(policyOf)}
      />
    ),
    status: outcome.result?.kind === "problem" ? outcome.result.status : 200,
  });
};

const home = (dependencies: HomeDependencies): BoundPage =>
  page(consoleHomePage, {
    show: (visit) => {
      const { wantsHtml, baseUrl, texts, values, problems } = visit;
      if (!wantsHtml) {
        return data({
          service: service.name,
          version: service.apiVersion,
          description: fill(texts.home.description, { count: findLanguages(undefined).length }),
          openapi: `${baseUrl}/openapi.json`,
          documentation: `${baseUrl}/docs`,
          console: `${baseUrl}/console`,
        });
      }
      const { values: first } = attemptDefinitions.translate;
      const sentence =
        problems.form ?? Object.values(problems.fields).find((problem) => problem !== undefined);
      const result =
        sentence === undefined ? undefined : ({ kind: "problem", sentence, status: 400 } as const);
      return homeOf(visit, { values: { ...first, ...values }, result }, dependencies);
    },
    submit: async (visit) =>
      homeOf(visit, await submitAttempt(visit, "translate", visit.form, dependencies), dependencies),
  });

/** The page for strangers. */
export const homePages = (dependencies: HomeDependencies): BoundPage[] => [home(dependencies)];
