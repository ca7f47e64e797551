/** How what is sent to the table grows. Calls and bytes are exact, so one round is enough. */
import { randomUUID } from "node:crypto";
import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { NewToken } from "../../../shared/accounts/access/tokens.ts";
import { limitKeys } from "../../../shared/accounts/limits/keys.ts";
import { createLimitCounters, createLimiter } from "../../../shared/accounts/limits/limiter.ts";
import { dateOfDay, windowsAt } from "../../../shared/accounts/limits/windows.ts";
import { createAccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import { createUsageRepository } from "../../../shared/accounts/usage/read-usage.ts";
import type { Item } from "../../../shared/platform/storage/table.ts";
import { jobExpiry, storedJob } from "../../../shared/recordings/jobs/job.ts";
import { createJobsRepository, newJobId } from "../../../shared/recordings/jobs/jobs-repository.ts";
import { jobKeys } from "../../../shared/recordings/jobs/keys.ts";
import { note } from "../compare/note.ts";
import type { Measured, Row } from "../compare/verdict.ts";
import type { CountedTable, Traffic } from "./counted-table.ts";
import type { GrowthPlan } from "./plan.ts";

/** What the rows of the table measure with. */
export interface TableSetup {
  readonly counted: CountedTable;
  readonly tableName: string;
  readonly plan: GrowthPlan;
}

const exactly = (value: number): Measured => ({ value, spread: [value, value] });

const batchSize = 25;
const parallelBatches = 8;

const writeAll = async (
  client: DynamoDBDocumentClient,
  tableName: string,
  count: number,
  itemsOf: (index: number) => readonly Item[],
): Promise<void> => {
  const items = Array.from({ length: count }, (_, index) => itemsOf(index)).flat();
  const batches = Array.from({ length: Math.ceil(items.length / batchSize) }, (_, batch) =>
    items.slice(batch * batchSize, (batch + 1) * batchSize).map((Item) => ({ PutRequest: { Item } })),
  );
  const next = batches.values();
  const work = async (): Promise<void> => {
    for (const requests of next) {
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: parallelBatches }, work));
};

const newAccount = async ({ counted }: TableSetup): Promise<NewToken> => {
  const username = `growth-${randomUUID()}`;
  const account = {
    username,
    email: `${username}@example.com`,
    password_hash: "$argon2id$the-hash",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  };
  const { id } = await createAccountsRepository(counted.table).create(account);
  return { userId: id, tokenId: "first", tokenEpoch: 0 };
};

/** Admits requests of an account, as each request of its does. The first ones create what later ones find. */
const trafficOfRequest = async ({ counted }: TableSetup, credential: NewToken): Promise<Traffic> => {
  const limiter = createLimiter(createLimitCounters(counted.requestTable));
  const request = {
    limitClass: "task",
    operationId: "createChatCompletion",
    credential,
    scope: "chat",
  } as const;
  const admit = () => limiter.admit(request);
  for (let time = 0; time < 3; time += 1) await admit();
  return counted.during(admit);
};

interface Grown {
  readonly size: number;
  readonly traffic: Traffic;
}

const describe = (grown: readonly Grown[]): string =>
  grown
    .map(
      ({ size, traffic: { calls, bytes } }) =>
        `${size.toLocaleString("en")}: ${calls} calls, ${bytes.toLocaleString("en")} bytes`,
    )
    .join("; ");

/** Lines about the calls and the bytes of the largest size, to those of the least. */
const rowsOf = (what: string, grown: readonly Grown[], must: number): Row[] => {
  const [least, largest] = [grown[0]?.traffic, grown.at(-1)?.traffic];
  const ratio = (figure: keyof Traffic) =>
    exactly((largest?.[figure] ?? Number.NaN) / (least?.[figure] ?? Number.NaN));
  return [
    {
      what: `${what}: calls to DynamoDB, ratio`,
      measured: ratio("calls"),
      bound: { must: 1, kind: "exactly" },
    },
    {
      what: `${what}: bytes to and from it, ratio`,
      measured: ratio("bytes"),
      bound: { must },
      figures: describe(grown),
    },
  ];
};

const usage = async (setup: TableSetup): Promise<Row[]> => {
  const { counted, tableName } = setup;
  const { day } = windowsAt(Date.now());
  const grown: Grown[] = [];
  const pages: Grown[] = [];
  for (const size of [1, 400]) {
    const credential = await newAccount(setup);
    const { userId } = credential;
    await writeAll(counted.client, tableName, size, (index) => [
      {
        ...limitKeys.usage(dateOfDay(day - index - 1), userId),
        "createChatCompletion:-:r": 5,
        "translate:-:r": 7,
      },
    ]);
    grown.push({ size, traffic: await trafficOfRequest(setup, credential) });
    const repository = createUsageRepository(counted.table, 1);
    const month = { from: day - 29, to: day };
    pages.push({ size, traffic: await counted.during(() => repository.find(userId, month, Date.now())) });
  }
  // One call reads the account, the others are the queries.
  const queries = Math.max(...pages.map(({ traffic }) => traffic.calls)) - 1;
  return [
    ...rowsOf("days of usage, a request", grown, 1.1),
    {
      what: "days of usage, a page of 30 days: queries",
      measured: exactly(queries),
      bound: { must: 2 },
      figures: describe(pages),
    },
  ];
};

const jobs = async (setup: TableSetup): Promise<Row[]> => {
  const { counted, tableName, plan } = setup;
  const repository = createJobsRepository(counted.table);
  const grown: Grown[] = [];
  for (const size of plan.jobs) {
    const { userId } = await newAccount(setup);
    await writeAll(counted.client, tableName, size, (index) => [
      queuedItem(userId, newJobId(Date.now() - 1_000 * index)),
    ]);
    const list = async (): Promise<void> => {
      const found = await repository.list(userId, 20, undefined);
      if (found.length !== 20) throw new Error(`A page has ${found.length} jobs.`);
    };
    grown.push({ size, traffic: await counted.during(list) });
  }
  return rowsOf("jobs of an account, a page of the list", grown, 1.1);
};

/** A job that is waiting, as it is stored. */
const queuedItem = (userId: number, jobId: string): Item => {
  const { done: _none, ...item } = storedJob.parse({
    id: jobId,
    user_id: userId,
    status: "queued",
    created_at: new Date().toISOString(),
    file_id: `audio/${jobId}`,
    language: "lug",
    timestamps: false,
    object_key: `audio/${jobId}`,
    object_version: "1",
    facts: {
      container: "wav",
      mediaType: "audio/wav",
      fileExtension: "wav",
      codec: "pcm",
      durationSeconds: 60,
    },
    audio_milliseconds: 60_000,
    day: windowsAt(Date.now()).day,
    expires_at: jobExpiry(Date.now()),
  });
  return { ...jobKeys.job({ userId, jobId }), ...item };
};

/** More accounts than were created here: their items as registering writes them, with other names. */
const addAccounts = async ({ counted, tableName }: TableSetup, count: number): Promise<void> => {
  const mark = randomUUID();
  await writeAll(counted.client, tableName, count, (index) => [
    { PK: `USERNAME#${mark}-${index}`, SK: "CLAIM", user_id: 1_000_000 + index },
    { PK: `EMAIL#${mark}-${index}@example.com`, SK: "CLAIM", user_id: 1_000_000 + index },
    { PK: `USER#${1_000_000 + index}`, SK: "PROFILE", id: 1_000_000 + index, username: `${mark}-${index}` },
    {
      PK: `ACCESS#${1_000_000 + index}`,
      SK: "ACCESS",
      account_type: "Free",
      disabled: false,
      token_epoch: 0,
    },
  ]);
};

const accounts = async (setup: TableSetup): Promise<Row[]> => {
  const requests: Grown[] = [];
  const registrations: Grown[] = [];
  let present = 0;
  for (const size of setup.plan.accounts) {
    await addAccounts(setup, size - present);
    present = size;
    registrations.push({ size, traffic: await setup.counted.during(() => newAccount(setup)) });
    requests.push({ size, traffic: await trafficOfRequest(setup, await newAccount(setup)) });
  }
  return [
    // The number of an account has more digits than that of an earlier one.
    ...rowsOf("accounts in the table, a request", requests, 1.01),
    ...rowsOf("accounts in the table, registering", registrations, 1.01),
  ];
};

/** The rows of the table, by their names on the command line. */
export const tableRows = { usage, jobs, accounts } as const;

/** Measures one of these rows. */
export const measureTableRow = (name: keyof typeof tableRows, setup: TableSetup): Promise<Row[]> => {
  note(`Measuring: ${name}.`);
  return tableRows[name](setup);
};
