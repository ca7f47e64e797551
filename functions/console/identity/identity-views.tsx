import { proofField } from "../../../shared/pages/proof/proof-field.tsx";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import type { Texts } from "../../../shared/pages/texts/languages.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Form } from "../../../shared/pages/view/forms.tsx";
import { Outcome } from "../../../shared/pages/view/outcome.tsx";

export type IdentityProblem = keyof Texts["identity"]["problems"];

type PageRequest = Pick<Visit, "texts" | "url"> & { readonly provider: string };

export const IdentityRefused = ({
  texts: { identity },
  url,
  title,
  provider,
  problem,
  back,
}: PageRequest & {
  readonly title: string;
  readonly problem: IdentityProblem;
  /** The page where it started. */
  readonly back: { readonly to: string; readonly isAccount: boolean };
}) => (
  <Outcome
    icon="problem"
    title={title}
    action={{ href: url(back.to), words: back.isAccount ? identity.toAccount : identity.toLogIn }}
  >
    {fill(identity.problems[problem], { provider })}
  </Outcome>
);

/** The form that adds a provider to an account. */
export const JoinProvider = (visit: Visit<unknown, "signed-in"> & Pick<PageRequest, "provider">) => {
  const {
    texts: { identity },
    url,
    here,
    problems,
    provider,
  } = visit;
  const title = fill(identity.joinTitle, { provider });
  return (
    <div class="card">
      <h1>{title}</h1>
      <p class="about">{fill(identity.joinText, { provider })}</p>
      <Form to={here} action="join" submit={title} refusal={problems.form} problems={problems.fields}>
        {proofField(visit, "join")}
      </Form>
      <a class="button quiet full" href={url("/console/account?section=security")}>
        {identity.toAccount}
      </a>
    </div>
  );
};

/**
 * The page before a provider. It has a link, because our content security policy does not let forms redirect to other sites.
 */
export const GoToProvider = ({
  texts: { identity },
  url,
  provider,
  address,
}: PageRequest & { readonly address: string }) => (
  <div class="card">
    <h1>{fill(identity.joinTitle, { provider })}</h1>
    <p class="about">{fill(identity.joinText, { provider })}</p>
    <a class="button full" href={address}>
      {fill(identity.continue, { provider })}
    </a>
    <a class="button quiet full" href={url("/console/account")}>
      {identity.toAccount}
    </a>
  </div>
);
