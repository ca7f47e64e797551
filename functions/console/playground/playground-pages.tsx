import { type Scope, scopes } from "../../../shared/accounts/access/api-keys.ts";
import { type BoundPage, page } from "../server/page.ts";
import { signPageToken } from "../server/page-token.ts";
import { data, redirect, shown } from "../server/responses.ts";
import { attemptDefinitions } from "./attempts.ts";
import { playgroundPage, playgroundTokenPage } from "./pages.ts";
import { Playground, type PlaygroundAccess } from "./view.tsx";
import type { VisitorDependencies } from "./visitors.ts";

/** What these pages use. */
export interface PlaygroundDependencies extends Pick<VisitorDependencies, "addresses" | "tokens"> {
  /** Requests per day without an account; 0 for none. */
  readonly visitorAttemptsPerDay: number;
}

/** The page has no uploads and long recordings. */
const pageScopes: readonly Scope[] = scopes.filter((scope) => scope !== "upload" && scope !== "jobs");

/** The playground and the tokens of its script. */
export const playgroundPages = ({
  addresses,
  tokens,
  visitorAttemptsPerDay,
}: PlaygroundDependencies): BoundPage[] => {
  const accessOf = (isSignedIn: boolean): PlaygroundAccess => {
    if (isSignedIn) return { kind: "account" };
    return visitorAttemptsPerDay > 0
      ? { kind: "visitor", attemptsPerDay: visitorAttemptsPerDay }
      : { kind: "closed" };
  };
  return [
    page(playgroundPage, {
      show: ({ account, query: { try: current, ...written } }) => {
        const given = Object.entries(written).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        );
        return shown({
          content: (
            <Playground
              current={current}
              values={{ ...attemptDefinitions[current].values, ...Object.fromEntries(given) }}
              addresses={addresses}
              access={accessOf(account !== undefined)}
            />
          ),
        });
      },
    }),
    page(playgroundTokenPage, {
      show: () => redirect(playgroundPage.path),
      submit: async (visit) => data(await signPageToken(visit, pageScopes, tokens)),
    }),
  ];
};
