import type { Usage } from "../../../shared/accounts/usage/usage.ts";
import { sentTo } from "../server/sent-form.ts";
import type { Visit } from "../server/visit.ts";
import { fill } from "../texts/languages.ts";
import { Facts, Meter, Notice } from "../view/components.tsx";
import { dayOf, numbersIn } from "../view/dates.ts";
import { Form } from "../view/forms.tsx";
import { RecordingsMeter } from "./recordings-meter.tsx";

type Shown = Visit<{ readonly done?: "sent" | undefined }, "signed-in"> & { readonly usage: Usage };

const Verification = (visit: Shown) => {
  const { account, texts, language, usage } = visit;
  const words = texts.overview;
  const number = numbersIn(language);
  const more = usage.once_verified;
  return (
    <Notice title={texts.verify.title}>
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
    <>
      {[
        { label: words.today, ...usage.today },
        { label: words.thisMonth, ...usage.this_month },
      ].map(({ label, used, limit, resets_at: end }) => (
        <section class="card" key={label}>
          <Meter label={label} used={used} limit={limit} />
          {limit !== null && <p class="hint">{fill(words.resets, { day: dayOf(end, language) })}</p>}
        </section>
      ))}
      <section class="card">
        <RecordingsMeter usage={usage} label={texts.usage.recordings} />
      </section>
    </>
  );
};

/** The quotas of an account, and what to do next. */
export const Overview = (visit: Shown) => {
  const { account, texts, usage, query, url } = visit;
  const words = texts.overview;
  const next = [
    { to: "/console/tokens", label: words.nextKey },
    { to: "/console/playground", label: words.nextPlayground },
    { to: "/docs", label: texts.tokens.firstCall },
    { to: "/console/usage", label: words.nextUsage },
  ];
  return (
    <>
      <h1>{fill(words.greeting, { name: account.full_name ?? account.username })}</h1>
      {query.done === "sent" && <Notice title={fill(words.sent, { email: account.email })} />}
      {!account.email_verified && <Verification {...visit} />}
      <div class="cards">
        <Quotas {...visit} />
        <section class="card">
          <h2>{texts.navigation.account}</h2>
          <Facts
            facts={[
              [words.plan, words.plans[account.account_type]],
              [words.rateLimit, fill(words.perMinute, { count: usage.per_minute_limit })],
              [words.email, account.email],
              [words.emailStatus, account.email_verified ? words.verified : words.notVerified],
            ]}
          />
        </section>
      </div>
      <h2>{words.next}</h2>
      <ul>
        {next.map(({ to, label }) => (
          <li key={to}>
            <a href={url(to)}>{label}</a>
          </li>
        ))}
      </ul>
    </>
  );
};
