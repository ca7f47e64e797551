import * as z from "zod";
import { mailRequest } from "../../shared/accounts/mail/mail-request.ts";
import type { AuditLog } from "../../shared/accounts/operators/audit-log.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { type BoundPage, page } from "../../shared/pages/server/page.ts";
import { type PageResponse, redirect, shown } from "../../shared/pages/server/responses.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { callbackRequest } from "../../shared/recordings/callbacks/callback-queue.ts";
import type { DeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { jobMessage } from "../../shared/recordings/jobs/job-queue.ts";
import { namesOf } from "./account-names.ts";
import type { DeadLetter, DeadLetters } from "./dead-letters.ts";
import { DeliveriesList, type ShownCallback, type ShownLetter } from "./deliveries-list.tsx";
import { adminDeliveriesPage, deadLetterQueues } from "./pages.ts";
import { type ResendDependencies, resendFailedCallback } from "./resend-callback.ts";

/** What the page of mails and webhooks uses. */
export interface DeliveriesDependencies extends ResendDependencies {
  readonly deliveries: DeliveryLog;
  readonly deadLetters: Readonly<Record<(typeof deadLetterQueues)[number], DeadLetters>>;
  readonly accounts: Pick<AccountsRepository, "find">;
  readonly audit: AuditLog;
}

/** Messages of one queue that are shown, and callbacks of one page. */
const maxLetters = 30;
const callbacksPerPage = 25;

/** A message of any of the queues, without addresses and what else it holds. */
const readable = z.union([
  mailRequest.transform((mail) => ({ kind: mail.kind, userId: "userId" in mail ? mail.userId : undefined })),
  callbackRequest.transform(({ event, userId }) => ({ kind: event, userId })),
  // Jobs of the messaging assistant have no account.
  jobMessage.transform(({ kind, userId }) => ({ kind, userId: userId || undefined })),
]);

const describe = (queue: ShownLetter["queue"], letter: DeadLetter): ShownLetter => {
  try {
    return { ...letter, queue, ...readable.parse(JSON.parse(letter.body)) };
  } catch {
    return { ...letter, queue, kind: undefined, userId: undefined };
  }
};

const readLetters = async ({ deadLetters }: DeliveriesDependencies): Promise<ShownLetter[]> => {
  const lists = await Promise.all(
    deadLetterQueues.map(async (queue) =>
      (await deadLetters[queue].list(maxLetters)).map((letter) => describe(queue, letter)),
    ),
  );
  return lists.flat().toSorted((one, other) => other.sentAt - one.sentAt);
};

const readCallbacks = async (
  from: string | undefined,
  { deliveries }: DeliveriesDependencies,
): Promise<{ readonly callbacks: ShownCallback[]; readonly next: string | undefined }> => {
  const found = await deliveries.listFailed(callbacksPerPage + 1, from);
  const listed = found.slice(0, callbacksPerPage);
  const callbacks = await Promise.all(
    listed.map(async (each) => ({ ...each, state: await deliveries.read(each.userId, each.name) })),
  );
  return { callbacks, next: found.length > callbacksPerPage ? listed.at(-1)?.name : undefined };
};

type DeliveriesVisit = Visit<unknown, "operators"> & {
  readonly form: z.output<NonNullable<typeof adminDeliveriesPage.form>>;
};

const submit = async (
  { form, account, request }: DeliveriesVisit,
  dependencies: DeliveriesDependencies,
): Promise<PageResponse<never>> => {
  const { audit, deadLetters } = dependencies;
  const operator = { accountId: account.id, sourceAddress: request.sourceAddress };
  const after = (done: string) => redirect(`${adminDeliveriesPage.path}?done=${done}`);
  if (form.action === "retry-message") {
    const { queue, message } = form;
    // A queue and the table have no common transaction, so the act is recorded first.
    await audit.record(operator, { act: "retry-message", detail: `${queue} ${message}` });
    const isFound = await deadLetters[queue].retry(message, 10 * maxLetters);
    return after(isFound ? "message-retried" : "message-gone");
  }
  const { user_id: userId, job_id: jobId } = form;
  const record = audit.recordOf(operator, { act: "retry-callback", accountId: userId, detail: jobId });
  const isSent = await resendFailedCallback({ userId, jobId }, record, dependencies);
  return after(isSent ? "callback-retried" : "message-gone");
};

/** The page of mails, webhooks and steps of jobs that were given up. */
export const deliveriesPages = (dependencies: DeliveriesDependencies): BoundPage[] => [
  page(adminDeliveriesPage, {
    show: async (visit) => {
      const [letters, { callbacks, next }] = await Promise.all([
        readLetters(dependencies),
        readCallbacks(visit.query.from, dependencies),
      ]);
      const names = await namesOf(
        [...letters, ...callbacks].map(({ userId }) => userId),
        dependencies,
      );
      const found = { letters, callbacks, next, names };
      return shown({ content: <DeliveriesList {...visit} {...found} /> });
    },
    submit: (visit) => submit(visit, dependencies),
  }),
];
