import type { Visit } from "../server/visit.ts";
import type { Texts } from "../texts/languages.ts";
import { fill } from "../texts/languages.ts";
import { Notice } from "../view/components.tsx";

export type IdentityProblem = keyof Texts["identity"]["problems"];

type PageRequest = Pick<Visit, "texts" | "url"> & { readonly provider: string };

export const IdentityRefused = ({
  texts: { identity, logIn },
  url,
  provider,
  problem,
  back,
}: PageRequest & {
  readonly problem: IdentityProblem;
  /** The page where it started. */
  readonly back: { readonly to: string; readonly isAccount: boolean };
}) => (
  <>
    <h1>{fill(back.isAccount ? identity.joinTitle : logIn.through, { provider })}</h1>
    <Notice kind="bad">
      <p>{fill(identity.problems[problem], { provider })}</p>
    </Notice>
    <p>
      <a class="button" href={url(back.to)}>
        {back.isAccount ? identity.toAccount : identity.toLogIn}
      </a>
    </p>
  </>
);

/**
 * The page before a provider. It has a link, because our content security policy does not let forms redirect to other sites.
 */
export const GoToProvider = ({
  texts: { identity },
  url,
  provider,
  address,
}: PageRequest & { readonly address: string }) => (
  <>
    <h1>{fill(identity.joinTitle, { provider })}</h1>
    <p>{fill(identity.joinText, { provider })}</p>
    <p>
      <a class="button" href={address}>
        {fill(identity.continue, { provider })}
      </a>
    </p>
    <p>
      <a href={url("/console/account")}>{identity.toAccount}</a>
    </p>
  </>
);
