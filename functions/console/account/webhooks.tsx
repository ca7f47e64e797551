import { Confirmed } from "../../../shared/pages/proof/confirmed.tsx";
import { proofField } from "../../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge, DataTable, Secret } from "../../../shared/pages/view/components.tsx";
import { momentOf } from "../../../shared/pages/view/dates.ts";
import { Field, Form } from "../../../shared/pages/view/forms.tsx";
import { testEvent } from "../../../shared/recordings/callbacks/callback-queue.ts";
import type { CallbackDelivery } from "../../../shared/recordings/callbacks/deliveries.ts";
import { maxListedCallbacks } from "../../../shared/recordings/jobs/manage-callbacks.ts";
import { type AccountView, accountPath } from "./account-view.ts";

const kinds = { delivered: "good", failed: "bad", pending: "warning" } as const;

const WebhookSecret = (visit: AccountView) => {
  const words = visit.texts.tokens;
  return (
    <section class="card" aria-labelledby="webhooks">
      <h2 id="webhooks">{words.webhooks}</h2>
      <p>{words.webhooksText}</p>
      {visit.secret === undefined ? (
        <Form
          to={accountPath}
          submit={words.showSecret}
          look="secondary"
          {...sentTo("show-secret", visit).form}
        >
          {proofField(visit, "show-secret")}
        </Form>
      ) : (
        <Secret label={words.secret} value={visit.secret} />
      )}
      <Confirmed
        to={accountPath}
        action="replace-secret"
        label={words.replaceSecret}
        text={words.replaceSecretText}
        sent={visit}
      >
        {proofField(visit, "replace-secret")}
      </Confirmed>
    </section>
  );
};

const Test = (visit: AccountView) => {
  const words = visit.texts.webhooks;
  const { form, field } = sentTo("test-webhook", visit);
  return (
    <section class="card" aria-labelledby="test">
      <h2 id="test">{words.test}</h2>
      <p>{words.testText}</p>
      <Form to={accountPath} submit={words.test} look="secondary" {...form}>
        <Field {...field("url")} label={words.url} hint={words.urlHint} inputmode="text" />
      </Form>
    </section>
  );
};

/** Each attempt with its result, the newest first. */
const Attempts = ({
  visit,
  delivery,
}: {
  readonly visit: AccountView;
  readonly delivery: CallbackDelivery;
}) => (
  <ul class="plain">
    {delivery.deliveries.toReversed().map(({ at, status_code: status, error }) => (
      <li key={at}>
        {momentOf(at, visit.language)}: {status ?? error}
      </li>
    ))}
  </ul>
);

/** A test is sent by its own form, and what is still being sent needs no help. */
const isResendable = ({ event, status }: CallbackDelivery): boolean =>
  status !== "pending" && event !== testEvent;

const Resend = ({
  visit,
  delivery: { id },
}: {
  readonly visit: AccountView;
  readonly delivery: CallbackDelivery;
}) => {
  const { isThis, form } = sentTo("resend-webhook", visit);
  return (
    <Form
      to={accountPath}
      submit={visit.texts.webhooks.resend}
      look="secondary"
      {...(isThis && visit.values["job"] === id ? form : { action: "resend-webhook" })}
    >
      <input type="hidden" name="job" value={id} />
    </Form>
  );
};

const Deliveries = (visit: AccountView) => {
  const words = visit.texts.webhooks;
  const deliveries = visit.deliveries ?? [];
  return (
    <section class="listing" aria-labelledby="deliveries">
      <h2 id="deliveries">{words.deliveries}</h2>
      <p class="soft">{fill(words.deliveriesText, { count: maxListedCallbacks })}</p>
      {deliveries.length === 0 ? (
        <p class="soft">{words.none}</p>
      ) : (
        <DataTable
          isStacked
          isCaptionShown={false}
          caption={words.deliveries}
          columns={[
            { label: words.event },
            { label: words.status },
            { label: words.attempts },
            { label: words.resend, isAction: true },
          ]}
          rows={deliveries.map((delivery) => [
            <>
              {delivery.event ?? words.callback}
              <br />
              <code class="notranslate id small">{delivery.id}</code>
              {delivery.url !== undefined && (
                <>
                  <br />
                  <code class="notranslate id small soft">{delivery.url}</code>
                </>
              )}
            </>,
            <Badge key="status" kind={kinds[delivery.status]}>
              {words.states[delivery.status]}
            </Badge>,
            <Attempts key="attempts" visit={visit} delivery={delivery} />,
            isResendable(delivery) ? <Resend key="resend" visit={visit} delivery={delivery} /> : null,
          ])}
        />
      )}
    </section>
  );
};

/** The secret of callbacks, a test of their receiver, and those of the last days. */
export const Webhooks = (visit: AccountView) => (
  <>
    <WebhookSecret {...visit} />
    <Test {...visit} />
    <Deliveries {...visit} />
  </>
);
