import { withLocalTable } from "../../../infra/local/local-table.ts";
import { openTable } from "../../../infra/sdk-table.ts";
import { accountPoliciesWith } from "../../../shared/accounts/limits/policies.ts";
import { createAccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import { createRequestLog } from "../../../shared/accounts/requests/request-log.ts";
import { createTierRequests } from "../../../shared/accounts/tiers/tier-requests.ts";
import { dayMilliseconds, minuteMilliseconds } from "../../../shared/platform/durations.ts";
import { statusKeys } from "../../../shared/platform/status/keys.ts";
import { checkedTasks, statusDays } from "../../../shared/platform/status/status-log.ts";
import type { Table } from "../../../shared/platform/storage/table.ts";
import { createDeliveryLog } from "../../../shared/recordings/callbacks/deliveries.ts";
import {
  createJobsRepository,
  type NewJob,
  newJobId,
} from "../../../shared/recordings/jobs/jobs-repository.ts";
import type { TestAccount } from "../../support/api-client.ts";

/** Ninety days of the canary, with some failures of two tasks. */
const fillStatus = async (table: Table): Promise<void> => {
  for (let ago = 0; ago < statusDays - 10; ago += 1) {
    const at = new Date(Date.now() - ago * dayMilliseconds).toISOString();
    const failures = { chat: ago === 12 ? 40 : 0, speak: ago === 3 ? 2 : 0 };
    const counters = checkedTasks
      .filter((task) => task !== "transcribe")
      .flatMap((task) => [
        [`${task}_checks`, 288],
        [`${task}_failures`, task === "chat" || task === "speak" ? failures[task] : 0],
      ]);
    const outcomes = { service: true, translate: true, identify: true, speak: true, chat: false };
    await table.put({
      ...statusKeys.day(at.slice(0, 10)),
      ...Object.fromEntries(counters),
      latest: { at, outcomes },
    });
  }
};

/** A callback in each state, the newest first. */
const fillDeliveries = async (table: Table, userId: number): Promise<void> => {
  const log = createDeliveryLog(table);
  const url = "https://clinic.example.org/language-ai/callbacks?of=recordings-of-the-council-in-gulu";
  const attempts = [
    ["failed", "job.failed", { error: "The receiver did not respond in time." }],
    ["pending", "job.completed", { status_code: 503 }],
    ["delivered", "job.completed", { status_code: 204 }],
    ["failed", "webhook.test", { error: "The host name has no address." }],
  ] as const;
  for (const [index, [status, event, result]] of attempts.entries()) {
    const at = Date.now() - (attempts.length - index) * dayMilliseconds;
    const entry = { at: new Date(at).toISOString(), ...result };
    await log.add(userId, newJobId(at), entry, status, { url, event });
  }
};

/** More requests than a page lists. */
const fillRequests = async (table: Table, userId: number): Promise<void> => {
  await createRequestLog(table).add(
    Array.from({ length: 30 }, (_, index) => ({
      userId,
      request: {
        at: new Date(Date.now() - index * minuteMilliseconds).toISOString(),
        id: `9b2f61b0-7d0e-4a55-9a4e-${String(index).padStart(12, "0")}`,
        operation: index % 3 === 0 ? "synthesizeSpeech" : "translate",
        milliseconds: 300 + 37 * index,
        ...(index % 7 === 3 ? { status: 400, code: "unsupported_language" } : { status: 200 }),
        ...(index === 5 ? { status: 503, code: "service_unavailable" } : {}),
        used: { characters: 80 + index },
      },
    })),
  );
};

/** A document that waits, and two that failed. */
const fillJobs = async (table: Table, userId: number): Promise<void> => {
  const jobs = createJobsRepository(table);
  const job: NewJob = {
    type: "translation",
    source_language: "eng",
    target_language: "lug",
    format: "text",
    characters: 1_300,
    file_id: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
    object_key: "uploads/leaflet.txt",
    object_version: "1",
  };
  const errors = [
    undefined,
    { code: "service_unavailable", message: "The model did not respond in time." },
    { code: "unreadable_file", message: "The file could not be read: it is not valid UTF-8." },
  ];
  for (const error of errors) {
    const name = { userId, jobId: newJobId(Date.now()) };
    await jobs.create(name, job, accountPoliciesWith(100));
    if (error) await jobs.fail(name, { error });
  }
};

/** Writes lists that only come with time into the table of a service that is not running. */
export const fillLists = async (dataDirectory: string, { username }: TestAccount): Promise<void> => {
  process.env["DATA_DIR"] = dataDirectory;
  await withLocalTable(async (name) => {
    const table = openTable(name);
    const account = await createAccountsRepository(table).find({ username });
    if (!account) throw new Error(`There is no account ${username}.`);
    await fillStatus(table);
    await fillDeliveries(table, account.id);
    await fillJobs(table, account.id);
    await fillRequests(table, account.id);
    await createTierRequests(table).add(account, {
      purpose: "We translate the leaflets of 40 clinics in Gulu and Kitgum into Acholi and Lango.",
      amount: "About 2,000 translations a day, and 20 hours of audio a month.",
    });
  });
};
