import type * as z from "zod";
import type { TierRequest } from "../../../shared/accounts/tiers/tier-requests.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge, Facts, Notice, PageHead, Trail } from "../../../shared/pages/view/components.tsx";
import { dayOf } from "../../../shared/pages/view/dates.ts";
import { Form, TextArea } from "../../../shared/pages/view/forms.tsx";
import type { tierPage } from "./pages.ts";

type Shown = Visit<z.output<NonNullable<typeof tierPage.query>>, "signed-in"> & {
  readonly sent: TierRequest | undefined;
};

const kinds = { open: "warning", accepted: "good", declined: undefined } as const;

const Last = ({ texts, language, sent }: Shown & { readonly sent: TierRequest }) => {
  const words = texts.tier;
  const kind = kinds[sent.status];
  return (
    <section class="card" aria-labelledby="request">
      <h2 id="request">
        {words.last} <Badge {...(kind ? { kind } : {})}>{words.states[sent.status]}</Badge>
      </h2>
      <Facts
        facts={[
          [words.sentOn, dayOf(sent.created_at, language)],
          [words.purpose, sent.purpose],
          [words.amount, sent.amount],
          ...(sent.note ? [[words.note, sent.note] as const] : []),
        ]}
      />
    </section>
  );
};

const RequestForm = ({ texts, values, problems }: Shown) => {
  const words = texts.tier;
  const field = (name: "amount" | "purpose") => ({
    name,
    value: values[name],
    problem: problems.fields[name],
  });
  return (
    <section class="card" aria-labelledby="form">
      <h2 id="form">{words.formTitle}</h2>
      <Form to="/console/tier" submit={words.send} refusal={problems.form} problems={problems.fields}>
        <TextArea {...field("purpose")} label={words.purpose} hint={words.purposeHint} />
        <TextArea {...field("amount")} label={words.amount} hint={words.amountHint} rows={2} />
      </Form>
    </section>
  );
};

/** The account's tier, its last request for a higher one, and the form for another. */
export const Tier = (visit: Shown) => {
  const { texts, account, query, sent } = visit;
  const words = texts.tier;
  const isFree = account.account_type === "Free";
  return (
    <>
      <Trail steps={[{ to: "/console/usage", label: texts.navigation.usage }]}>{words.title}</Trail>
      <PageHead title={words.title}>
        <p class="soft">
          {fill(isFree ? words.text : words.notFree, { plan: texts.overview.plans[account.account_type] })}
        </p>
      </PageHead>
      {query.done && <Notice title={words.outcomes[query.done]} />}
      {sent && <Last {...visit} sent={sent} />}
      {isFree && sent?.status !== "open" && <RequestForm {...visit} />}
    </>
  );
};
