import type { ComponentChildren } from "preact";
import type { SecondFactor } from "../../../shared/accounts/second-factor/second-factors.ts";
import { proofField } from "../../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import {
  Badge,
  CopyButton,
  Facts,
  Notice,
  PageHead,
  Secret,
  Trail,
} from "../../../shared/pages/view/components.tsx";
import { dayOf } from "../../../shared/pages/view/dates.ts";
import { CodeField, Form, PasswordField } from "../../../shared/pages/view/forms.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { secondFactorPage } from "./pages.ts";
import { QrCode } from "./qr-code.tsx";

type View = Visit<{ readonly done?: "expired" | undefined }, "signed-in"> & {
  readonly next: string | undefined;
};

const to = secondFactorPage.path;

const Page = ({
  children,
  badge,
}: {
  readonly children: ComponentChildren;
  readonly badge?: ComponentChildren;
}) => {
  const { secondFactor, account } = useFrame().texts;
  return (
    <>
      <Trail steps={[{ to: "/console/account?section=security", label: account.sections.security }]}>
        {secondFactor.title}
      </Trail>
      <PageHead
        title={
          <>
            {secondFactor.title} {badge}
          </>
        }
      />
      {children}
    </>
  );
};

const Card = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="card">
    <h2>{title}</h2>
    {children}
  </section>
);

const Next = ({ next }: Pick<View, "next">) =>
  next === undefined ? null : <input type="hidden" name="next" value={next} />;

/** The start of a set-up. */
export const StartSetUp = (visit: View) => {
  const { account, texts, query, next } = visit;
  const words = texts.secondFactor;
  const { form, isThis } = sentTo("start", visit);
  return (
    <Page>
      {query.done === "expired" && !isThis && <Notice kind="bad" title={words.expired} />}
      {next !== undefined && account.account_type === "Admin" && (
        <Notice kind="warning" icon="safe" title={words.required} />
      )}
      <section class="card">
        <p>{words.about}</p>
        <p>{words.needsApp}</p>
        <p>{words.others}</p>
        <Form to={to} submit={words.start} {...form}>
          <Next next={next} />
          {proofField(visit, "start")}
        </Form>
      </section>
    </Page>
  );
};

/** @param secret in base 32. */
export const SetUp = (visit: View & { readonly address: string; readonly secret: string }) => {
  const { texts, address, secret, next } = visit;
  const words = texts.secondFactor;
  const { form, field } = sentTo("turn-on", visit);
  return (
    <Page>
      <Card title={words.scanTitle}>
        <p>{words.scanText}</p>
        <QrCode text={address} label={words.picture} />
        <p>
          <a href={address}>{words.openApp}</a>
        </p>
        <p>{words.keyText}</p>
        <p>
          <code class="notranslate">{secret.match(/.{1,4}/g)?.join(" ")}</code>
        </p>
        <p>{words.addressText}</p>
        <Secret label={words.address} value={address} />
      </Card>
      <Card title={words.codeTitle}>
        <p>{words.others}</p>
        <Form to={to} submit={words.turnOn} {...form}>
          <Next next={next} />
          <CodeField {...field("code")} label={words.code} hint={words.codeHint} isNumber />
        </Form>
      </Card>
    </Page>
  );
};

/** New recovery codes, which are shown once. */
export const RecoveryCodes = ({
  texts: { secondFactor: words },
  url,
  codes,
  heading,
  next,
}: Visit & { readonly codes: readonly string[]; readonly heading: string; readonly next: string }) => (
  <Page>
    <section class="card created">
      <h2>{heading}</h2>
      <p>{words.codesText}</p>
      <section class="secret recovery" aria-label={words.codes} data-copied>
        <code class="notranslate">{codes.join("\n")}</code>
        <CopyButton look="button secondary" />
      </section>
      <p class="after-codes">
        <a class="button" href={url(next)}>
          {words.saved}
        </a>
      </p>
    </section>
  </Page>
);

const TurnOff = (visit: View) => {
  const { account, texts } = visit;
  const words = texts.secondFactor;
  const { form, field } = sentTo("turn-off", visit);
  return (
    <Card title={words.offTitle}>
      <p>{words.offText}</p>
      <Form to={to} submit={words.turnOff} look="danger" {...form}>
        {account.has_password && (
          <PasswordField {...field("password")} label={texts.account.currentPassword} />
        )}
        <CodeField {...field("turn_off_code")} label={words.code} hint={words.anyCodeHint} />
      </Form>
    </Card>
  );
};

export const SecondFactorIsOn = (visit: View & SecondFactor) => {
  const { texts, language, since, codesLeft, next } = visit;
  const words = texts.secondFactor;
  const { form, field } = sentTo("renew", visit);
  return (
    <Page badge={<Badge kind="good">{words.isOn}</Badge>}>
      <section class="card">
        <p>{words.about}</p>
        <Facts
          facts={[
            [words.since, dayOf(since, language)],
            [words.codesLeft, String(codesLeft)],
          ]}
        />
      </section>
      <Card title={words.renewTitle}>
        <p>{words.renewText}</p>
        <Form to={to} submit={words.renew} look="secondary" {...form}>
          <Next next={next} />
          <CodeField {...field("code")} label={words.code} hint={words.anyCodeHint} />
        </Form>
      </Card>
      <TurnOff {...visit} />
    </Page>
  );
};
