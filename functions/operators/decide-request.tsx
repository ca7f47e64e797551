import { tierDecisions } from "../../shared/accounts/mail/mail-request.ts";
import type { TierRequest } from "../../shared/accounts/tiers/tier-requests.ts";
import { proofField } from "../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { Facts } from "../../shared/pages/view/components.tsx";
import { dayOf } from "../../shared/pages/view/dates.ts";
import { Form, Select, TextArea } from "../../shared/pages/view/forms.tsx";
import { adminAccountPath } from "./admin-view.tsx";

/** The open request of an account for a higher plan, and the form that decides it. */
export const DecideRequest = (visit: Visit<unknown, "operators"> & { readonly tierRequest: TierRequest }) => {
  const { texts, language, tierRequest } = visit;
  const { admin, tier } = texts;
  const { requestsPage: words } = admin;
  const { form, field } = sentTo("decide", visit);
  return (
    <section aria-labelledby="decide">
      <h3 id="decide">{words.openRequest}</h3>
      <Facts
        facts={[
          [words.sent, dayOf(tierRequest.created_at, language)],
          [tier.purpose, tierRequest.purpose],
          [tier.amount, tierRequest.amount],
        ]}
      />
      <Form to={adminAccountPath(tierRequest.user_id)} submit={words.send} {...form}>
        <Select
          {...field("decision", "accepted")}
          label={words.decision}
          options={tierDecisions.map((value) => ({ value, label: words[value] }))}
        />
        <TextArea {...field("note", "")} label={words.note} hint={words.noteHint} isOptional />
        {proofField(visit, "decide")}
      </Form>
    </section>
  );
};
