import type * as z from "zod";
import { otpauthAddress, toBase32 } from "../../../shared/accounts/second-factor/totp.ts";
import { confirmVisit } from "../../../shared/pages/proof/confirm.ts";
import { readNext, setUpPath } from "../../../shared/pages/server/links.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { type PageResponse, redirect, shown } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { type CodePageDependencies, enterCodePage } from "./code-page.tsx";
import {
  finishSecondFactor,
  renewRecoveryCodes,
  type SecondFactorDependencies,
  startSecondFactor,
  turnOffSecondFactor,
} from "./manage-second-factor.ts";
import { secondFactorPage } from "./pages.ts";
import { RecoveryCodes, SecondFactorIsOn, SetUp, StartSetUp } from "./second-factor-views.tsx";

/** What these pages use. */
export interface SecondFactorPagesDependencies
  extends Pick<SecondFactorDependencies, "passwordGuard" | "secondFactors">,
    CodePageDependencies {
  readonly accounts: SecondFactorDependencies["accounts"];
  readonly secondFactors: SecondFactorDependencies["secondFactors"];
}

type SecondFactorVisit = Visit<z.output<NonNullable<typeof secondFactorPage.query>>, "signed-in">;

const ownerIn = ({ session: { userId, tokenEpoch, id: session } }: SecondFactorVisit) => ({
  userId,
  tokenEpoch,
  session,
});

/** The page to continue with afterwards. */
const nextIn = ({ query, values }: SecondFactorVisit): string | undefined =>
  readNext(values["next"] ?? query.next);

const again = (next: string | undefined, done?: "expired") => {
  const path = next === undefined ? `${secondFactorPage.path}?` : `${setUpPath(next)}&`;
  return redirect(done === undefined ? path.slice(0, -1) : `${path}done=${done}`);
};

const show = async (
  visit: SecondFactorVisit,
  { secondFactors }: SecondFactorPagesDependencies,
): Promise<PageResponse<never>> => {
  const { account, texts } = visit;
  const next = nextIn(visit);
  const known = await secondFactors.find(account.id);
  if (known) return shown({ content: <SecondFactorIsOn {...visit} {...known} next={next} /> });
  const secret = await secondFactors.findSetUp(ownerIn(visit));
  if (!secret) return shown({ content: <StartSetUp {...visit} next={next} /> });
  const address = otpauthAddress(secret, account.username, texts.product);
  return shown({ content: <SetUp {...visit} address={address} secret={toBase32(secret)} next={next} /> });
};

/**
 * Begins another session for the browser that has turned the second factor on, as its session has ended like all others.
 *
 * @returns the cookie to send.
 */
const goOn = async (
  visit: SecondFactorVisit,
  { accounts }: SecondFactorPagesDependencies,
): Promise<string> => {
  const account = await accounts.find({ id: visit.account.id });
  if (!account) throw new AppError("unauthenticated");
  return visit.beginSession(account, { ...visit.session.start, showedFactor: true });
};

/** Shows codes in the response itself: nothing stores them. Sending the form again is refused, as its code was used. */
const showCodes = (
  visit: SecondFactorVisit,
  codes: readonly string[],
  title: string,
  cookies: readonly string[] = [],
): PageResponse<never> => {
  const next = nextIn(visit) ?? "/console/account?section=security";
  return shown({ content: <RecoveryCodes {...visit} codes={codes} heading={title} next={next} />, cookies });
};

const manage = (dependencies: SecondFactorPagesDependencies): BoundPage =>
  page(secondFactorPage, {
    show: (visit) => show(visit, dependencies),
    submit: async ({ form, ...visit }) => {
      const { account, texts } = visit;
      switch (form.action) {
        case "start":
          await confirmVisit(visit, form, dependencies);
          await startSecondFactor(ownerIn(visit), dependencies);
          return again(nextIn(visit));
        case "turn-on": {
          const finished = await finishSecondFactor(ownerIn(visit), form.code, dependencies);
          if (finished.kind !== "on") return again(nextIn(visit), "expired");
          return showCodes(visit, finished.codes, texts.secondFactor.nowOn, [
            await goOn(visit, dependencies),
          ]);
        }
        case "renew": {
          const codes = await renewRecoveryCodes(account.id, form.code, dependencies);
          return showCodes(visit, codes, texts.secondFactor.newCodes);
        }
        case "turn-off":
          await turnOffSecondFactor(account, form, dependencies);
          return redirect("/console/account?section=security&done=second-factor-off");
      }
    },
  });

/** The second factor of an account, and the second step of a login. */
export const secondFactorPages = (dependencies: SecondFactorPagesDependencies): BoundPage[] => [
  manage(dependencies),
  enterCodePage(dependencies),
];
