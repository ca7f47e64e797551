import type * as z from "zod";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { fill } from "../../shared/pages/texts/languages.ts";
import { DataTable, EmptyState, Notice } from "../../shared/pages/view/components.tsx";
import { momentOf } from "../../shared/pages/view/dates.ts";
import type { CallbackState, FailedCallback } from "../../shared/recordings/callbacks/deliveries.ts";
import { AccountLink, AdminPage, EntryAct, More, RefusedAct } from "./admin-view.tsx";
import type { DeadLetter } from "./dead-letters.ts";
import type { adminDeliveriesPage, deadLetterQueues } from "./pages.ts";

const to = "/console/admin/deliveries";

/** A message that gave up, and what it is about as far as operators may know. */
export interface ShownLetter extends DeadLetter {
  readonly queue: (typeof deadLetterQueues)[number];
  /** The kind of mail, event or step; `undefined` for a message that cannot be read. */
  readonly kind: string | undefined;
  readonly userId: number | undefined;
}

export interface ShownCallback extends FailedCallback {
  readonly state: CallbackState;
}

type Shown = Visit<z.output<NonNullable<typeof adminDeliveriesPage.query>>, "operators"> & {
  readonly letters: readonly ShownLetter[];
  readonly callbacks: readonly ShownCallback[];
  readonly next: string | undefined;
  readonly names: ReadonlyMap<number, string>;
};

const Letters = (visit: Shown) => {
  const { texts, language, letters, names } = visit;
  const { deliveriesPage: words } = texts.admin;
  if (letters.length === 0) {
    return (
      <EmptyState title={words.noMessages}>
        <p>{words.noMessagesText}</p>
      </EmptyState>
    );
  }
  return (
    <DataTable
      caption={words.messages}
      isStacked
      columns={[
        ...[words.message, words.queue, words.about, words.sent, words.attempts].map((label) => ({ label })),
        { label: words.retry, isAction: true },
      ]}
      rows={letters.map(({ id, queue, kind, userId, sentAt, receives }) => {
        const named = fill(words.retryNamed, { name: `…${id.slice(-8)}` });
        const entry = ["message", id] as const;
        const act = { to, action: "retry-message", label: words.retry, named, text: words.retryText, entry };
        return [
          kind ?? words.unreadable,
          words.queues[queue],
          userId === undefined ? "" : <AccountLink key={id} id={userId} names={names} />,
          momentOf(sentAt, language),
          String(receives),
          <EntryAct key={id} act={act} sent={visit}>
            <input type="hidden" name="queue" value={queue} />
          </EntryAct>,
        ];
      })}
    />
  );
};

const Callbacks = (visit: Shown) => {
  const { texts, language, callbacks, names } = visit;
  const { admin } = texts;
  const { deliveriesPage: words } = admin;
  if (callbacks.length === 0) {
    return (
      <EmptyState title={words.noCallbacks}>
        <p>{words.noCallbacksText}</p>
      </EmptyState>
    );
  }
  return (
    <DataTable
      caption={words.callbacks}
      isStacked
      columns={[
        ...[words.callback, admin.whom, words.attempts, words.lastAttempt, words.response].map((label) => ({
          label,
        })),
        { label: words.retry, isAction: true },
      ]}
      rows={callbacks.map(({ name, userId, jobId, state: { deliveries } }) => {
        const last = deliveries.at(-1);
        const named = fill(words.retryNamed, { name: `…${jobId.slice(-8)}` });
        const entry = ["job_id", jobId] as const;
        const act = {
          to,
          action: "retry-callback",
          label: words.retry,
          named,
          text: words.callbackText,
          entry,
        };
        return [
          <code key={name} class="small breaks">
            {jobId}
          </code>,
          <AccountLink key={name} id={userId} names={names} />,
          String(deliveries.length),
          last === undefined ? "" : momentOf(last.at, language),
          <span key={name} class="breaks">
            {last?.status_code ?? last?.error}
          </span>,
          <EntryAct key={name} act={act} sent={visit}>
            <input type="hidden" name="user_id" value={userId} />
          </EntryAct>,
        ];
      })}
    />
  );
};

/** Mails, webhooks and steps of jobs that were given up. */
export const DeliveriesList = (visit: Shown) => {
  const { texts, query, next } = visit;
  const { admin: words } = texts;
  return (
    <AdminPage tab="deliveries" intro={words.deliveriesPage.intro}>
      <RefusedAct {...visit} />
      {query.done && <Notice title={words.done[query.done]} />}
      <Letters {...visit} />
      <Callbacks {...visit} />
      {next !== undefined && <More path={to} query={{ from: next }} />}
    </AdminPage>
  );
};
