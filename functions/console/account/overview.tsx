import type { Usage } from "../../../shared/accounts/usage/usage.ts";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge, Facts, Notice, PageHead } from "../../../shared/pages/view/components.tsx";
import { dayOf, numbersIn } from "../../../shared/pages/view/dates.ts";
import { Form } from "../../../shared/pages/view/forms.tsx";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import { Meter } from "../../../shared/pages/view/meter.tsx";
import { CharactersMeter, RecordingsMeter } from "../../../shared/pages/view/month-meters.tsx";
import { FirstRequest } from "./first-request.tsx";
import { NewTerms } from "./new-terms.tsx";

type Shown = Visit<{ readonly done?: "sent" | undefined }, "signed-in"> & {
  readonly usage: Usage;
  readonly termsVersion: string;
  readonly keyCount: number;
};

const Verification = (visit: Shown) => {
  const { account, texts, language, usage } = visit;
  const words = texts.overview;
  const number = numbersIn(language);
  const more = usage.once_verified;
  return (
    <Notice kind="warning" icon="mail" title={texts.verify.title}>
      <p>
        {more
          ? fill(words.verifyText, {
              email: account.email,
              perDay: number.format(more.per_day),
              perMonth: number.format(more.per_month),
            })
          : fill(words.verifyPlain, { email: account.email })}
      </p>
      <Form
        to="/console"
        submit={words.sendAgain}
        look="secondary"
        {...sentTo("send-verification", visit).form}
      />
    </Notice>
  );
};

const Quotas = ({ texts, language, usage }: Shown) => {
  const words = texts.overview;
  return (
    <div class="columns two">
      {[
        { label: words.today, ...usage.today },
        { label: words.thisMonth, ...usage.this_month },
      ].map(({ label, used, limit, resets_at: end }) => (
        <Meter key={label} label={label} used={used} limit={limit}>
          {limit !== null && <p class="hint">{fill(words.resets, { day: dayOf(end, language) })}</p>}
        </Meter>
      ))}
      <RecordingsMeter usage={usage} label={texts.usage.recordings} />
      <CharactersMeter usage={usage} label={texts.usage.charactersThisMonth} />
    </div>
  );
};

const NextSteps = ({ account, texts, usage, keyCount, url }: Shown) => {
  const words = texts.overview;
  const steps = [
    { to: "/console/account", label: words.nextVerify, isDone: account.email_verified },
    { to: "/console/tokens", label: words.nextKey, isDone: keyCount > 0 },
    { to: "/docs/guides/first-call", label: texts.tokens.firstCall, isDone: usage.this_month.used > 0 },
    { to: "/console/playground", label: words.nextPlayground, isDone: false },
    { to: "/console/usage", label: words.nextUsage, isDone: false },
  ];
  return (
    <section class="card" aria-labelledby="next">
      <h2 id="next">{words.next}</h2>
      <ul class="steps">
        {steps.map(({ to, label, isDone }) => (
          <li key={to}>
            <Icon name={isDone ? "success" : "forward"} />
            <a href={url(to)}>{label}</a>
            {isDone && <Badge kind="good">{words.done}</Badge>}
          </li>
        ))}
      </ul>
    </section>
  );
};

const Plan = ({ account, texts, usage }: Shown) => {
  const words = texts.overview;
  return (
    <section class="card" aria-labelledby="plan">
      <h2 id="plan">{texts.navigation.account}</h2>
      <Facts
        facts={[
          [words.plan, words.plans[account.account_type]],
          [words.rateLimit, fill(words.perMinute, { count: usage.per_minute_limit })],
          [words.email, account.email],
          [
            words.emailStatus,
            account.email_verified ? (
              <Badge kind="good">{words.verified}</Badge>
            ) : (
              <Badge kind="warning">{words.notVerified}</Badge>
            ),
          ],
        ]}
      />
    </section>
  );
};

/** The quotas of an account, and what comes next. */
export const Overview = (visit: Shown) => {
  const { account, texts, query, baseUrl } = visit;
  const words = texts.overview;
  return (
    <>
      <PageHead title={fill(words.greeting, { name: account.full_name ?? account.username })} />
      {query.done === "sent" && <Notice title={fill(words.sent, { email: account.email })} />}
      <NewTerms {...visit} />
      {!account.email_verified && <Verification {...visit} />}
      <Quotas {...visit} />
      <div class="columns two">
        <NextSteps {...visit} />
        <Plan {...visit} />
      </div>
      <h2>{texts.tokens.firstCall}</h2>
      <p class="soft">{texts.playground.codeText}</p>
      <FirstRequest baseUrl={baseUrl} />
    </>
  );
};
