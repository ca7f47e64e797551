import type { Visit } from "../server/visit.ts";
import type { Texts } from "../texts/en.ts";
import { fill } from "../texts/languages.ts";
import { Notice } from "../view/components.tsx";

/** Why nobody was logged in, or no identity joined. */
export type IdentityProblem = keyof Texts["identity"]["problems"];

type PageRequest = Pick<Visit, "texts" | "url"> & { readonly provider: string };

/** What has gone wrong, and the way back. */
export const IdentityRefused = ({
  texts: { identity },
  url,
  provider,
  problem,
  back,
}: PageRequest & {
  readonly problem: IdentityProblem;
  /** The page that it was begun from. */
  readonly back: { readonly to: string; readonly isAccount: boolean };
}) => (
  <>
    <h1>{fill(back.isAccount ? identity.joinTitle : identity.title, { provider })}</h1>
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
 * The last page before a provider. A link leads there, and not the form itself: a form that could be redirected to another site
 * would have to be allowed to go there by every page that has one.
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
