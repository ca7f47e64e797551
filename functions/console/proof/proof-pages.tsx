import type { MailQueue } from "../../../shared/accounts/mail/mail-queue.ts";
import type { IdentitiesRepository } from "../../../shared/accounts/repositories/identities-repository.ts";
import type { LinksRepository } from "../../../shared/accounts/repositories/links-repository.ts";
import { proofToShow } from "../../../shared/pages/proof/confirm.ts";
import { readNext } from "../../../shared/pages/server/links.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { redirect, shown } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Outcome } from "../../../shared/pages/view/outcome.tsx";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { behindLink } from "../entry/link-pages.tsx";
import { confirmByLinkPage, confirmPage } from "./pages.ts";
import { Confirm, ConfirmByLink, type ConfirmingProvider } from "./proof-views.tsx";

/** What these pages use. */
export interface ProofPagesDependencies {
  readonly identities: Pick<IdentitiesRepository, "list">;
  readonly links: Pick<LinksRepository, "find" | "remove">;
  readonly mailQueue: MailQueue;
  readonly openIdProviders: readonly (ConfirmingProvider & {
    readonly issuer: string;
    readonly datesLogIns: boolean;
  })[];
}

const security = "/console/account?section=security";

const confirm = ({ identities, openIdProviders, mailQueue }: ProofPagesDependencies): BoundPage =>
  page(confirmPage, {
    show: async (visit) => {
      const next = readNext(visit.query.next) ?? security;
      if (proofToShow(visit) !== "recent-login") return redirect(next);
      const joined = await identities.list(visit.account.id);
      const providers = openIdProviders.filter(
        ({ issuer, datesLogIns }) => datesLogIns && joined.some((identity) => identity.issuer === issuer),
      );
      return shown({ content: <Confirm {...visit} {...{ providers, next }} /> });
    },
    submit: async (visit) => {
      const { account, texts, url } = visit;
      if (proofToShow(visit) !== "recent-login") return redirect(security);
      if (!account.email_verified) throw new AppError("forbidden");
      await mailQueue.send({ kind: "confirm-owner", userId: account.id });
      const { forgot, connect, identity } = texts;
      return shown({
        title: forgot.sentTitle,
        content: (
          <Outcome
            icon="mail"
            title={forgot.sentTitle}
            action={{ href: url(security), words: identity.toAccount }}
          >
            {fill(connect.sent, { email: account.email })}
          </Outcome>
        ),
      });
    },
  });

/** @throws AppError `invalid_link` for another account's link, or one from before a change of the account. */
const requireOwnLink = async (
  token: string,
  { session }: Visit<unknown, "signed-in">,
  { links }: ProofPagesDependencies,
): Promise<void> => {
  const link = await links.find(token, "confirm-owner");
  const isOwn = link?.userId === session.userId && link.tokenEpoch === session.tokenEpoch;
  if (!isOwn) throw new AppError("invalid_link");
};

/** The reader of the mails confirms the session of the browser that opens the link, and no other: it gets a new cookie. */
const confirmByLink = (dependencies: ProofPagesDependencies): BoundPage =>
  page(confirmByLinkPage, {
    show: (visit) =>
      behindLink(visit, confirmPage.path, async (token) => {
        await requireOwnLink(token, visit, dependencies);
        return shown({ content: <ConfirmByLink {...visit} token={token} /> });
      }),
    submit: async ({ form, ...visit }) => {
      await requireOwnLink(form.token, visit, dependencies);
      await dependencies.links.remove(form.token);
      const start = { ...visit.session.start, provedAt: Math.floor(Date.now() / 1_000) };
      const cookies = [await visit.beginSession(visit.account, start)];
      return redirect(`${security}&done=confirmed`, { cookies });
    },
  });

/** The pages on which an owner without a password and a second factor confirms an act. */
export const proofPages = (dependencies: ProofPagesDependencies): BoundPage[] => [
  confirm(dependencies),
  confirmByLink(dependencies),
];
