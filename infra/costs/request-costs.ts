import { functionDefinitions } from "../../functions/manifest.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import {
  type Charged,
  daysOfMonth,
  inDollars,
  million,
  type OtherRegion,
  otherRegions,
  priceIn,
  row,
} from "./prices.ts";

type FunctionName = (typeof functionDefinitions)[number]["name"];

/** The use of one request of a kind. The seconds are assumptions about the models; the rest follows from the code. */
interface RequestKind {
  readonly what: string;
  /** How long each function runs for the request. */
  readonly seconds: Readonly<Partial<Record<FunctionName, number>>>;
  /** How often a function is invoked for it, if more than once. */
  readonly invocations?: Readonly<Partial<Record<FunctionName, number>>>;
  /** Its other uses. */
  readonly uses: Readonly<
    Partial<Record<Exclude<Charged, "lambdaSecond" | "lambdaRequest" | "trace">, number>>
  >;
}

const authorizer = 0.005;

/** The request log of an account: each request costs most when its line comes alone. CloudWatch sends it free of charge. */
const requestLog = { "request-log": 0.02 } as const;
/** The authorizer of a task, and its line in the request log. */
const ofTask = { authorizer, ...requestLog } as const;
/** An item by time and one by id. */
const loggedWrites = 2;

/** The percentage of invocations that first start an environment. AWS charges a start like work. */
const startsPercent = 1;
const startSeconds = 0.3;

/** The share that X-Ray records of the API's requests, by the stage's rule, and after the first one of each second of all others. */
const sampledShare = 0.05;

/** An access item of 1 to 2 kB. */
const accessWrite = 2;
/**
 * The API, the write that checks the token and counts the request, another write of usage for every second request, the log
 * lines of both functions, and the request log with a read of the account.
 */
const taskUses = {
  apiRequest: 1,
  tableWrite: 1.5 * accessWrite + loggedWrites,
  tableRead: 1,
  logKilobyte: 3,
};
/** Recordings at 64 kbit/s, which model servers get over the internet. */
const recordingKilobytesPerSecond = 8;

/** A stream releases its slot with a second write of the same item, which also counts its usage. */
const streamUses = { ...taskUses, tableWrite: 2 * accessWrite + loggedWrites, outKilobyte: 60 };

/** An export reads a folder for each day of the account. */
const exportedDays = 365;
const exportedFiles = 300;

/** The most frequent requests of a deployment, and those that cost most. */
const requestKinds: readonly RequestKind[] = [
  {
    what: "preflight of a browser, with a response from API Gateway",
    seconds: {},
    uses: { apiRequest: 1, logKilobyte: 0.5, outKilobyte: 0.5 },
  },
  {
    what: "login",
    seconds: { auth: 0.12 },
    uses: { apiRequest: 1, tableRead: 6, tableWrite: 4, logKilobyte: 1.75, outKilobyte: 1 },
  },
  {
    what: "language identification",
    seconds: { ...ofTask, language: 0.01 },
    uses: { ...taskUses, outKilobyte: 1 },
  },
  {
    what: "translation, 1 s in the model",
    seconds: { ...ofTask, translate: 1.02 },
    uses: { ...taskUses, outKilobyte: 1 },
  },
  {
    what: "chat, whole response after 5 s",
    seconds: { ...ofTask, chat: 5.02 },
    uses: { ...taskUses, outKilobyte: 2 },
  },
  {
    what: "chat, streamed for 10 s through the REST API",
    seconds: { ...ofTask, chat: 10.02 },
    uses: streamUses,
  },
  {
    what: "chat, streamed for 10 s through the function URL",
    seconds: { ...requestLog, chat: 10.03 },
    uses: { ...streamUses, apiRequest: 0, logKilobyte: 2 },
  },
  {
    what: "translation as a tool of an agent, 1 s in the model",
    seconds: { authorizer, mcp: 1.03 },
    uses: { ...taskUses, logKilobyte: 5, outKilobyte: 2 },
  },
  {
    what: "speech, 3 s in the model, stored",
    seconds: { ...ofTask, speech: 3.1 },
    uses: { ...taskUses, bucketWrite: 1, outKilobyte: 200 },
  },
  {
    what: "transcription of a minute, 10 s in the model",
    seconds: { ...ofTask, transcription: 10.1 },
    uses: { ...taskUses, outKilobyte: 2 + 60 * recordingKilobytesPerSecond },
  },
  {
    what: "link for an upload, with its upload",
    seconds: { ...ofTask, upload: 0.02 },
    uses: { ...taskUses, tableWrite: taskUses.tableWrite + 1, bucketWrite: 1, outKilobyte: 1 },
  },
  {
    // Messages: plan, three slots, each again after each piece, assembly. Each is sent, received, hidden now and then, and deleted.
    what: "job of an hour in 7 pieces, each 57 s in the model, with a callback",
    seconds: { ...ofTask, jobs: 0.3, "job-worker": 7 * 57.3 + 2, callback: 0.3 },
    invocations: { "job-worker": 12 },
    uses: {
      apiRequest: 1,
      // Creation 11, planning 8, each piece 10 and the last 2 more, the end 6. A worker looks for an end of its job every 1.5 s.
      tableWrite: 11 + 8 + 7 * 10 + 2 + 6 + loggedWrites,
      tableRead: 7 * (5 + 38) + 13 + 1,
      queueRequest: 12 * 3 + 7 * 4 + 5 + 3,
      bucketWrite: 9,
      bucketRead: 60,
      logKilobyte: 3 + 13 * 1.5,
      outKilobyte: 2 + (3_600 + 6 * 10) * recordingKilobytesPerSecond,
    },
  },
  {
    // Waiting for S3: 0.03 s for each list and each file. The rest is 2 s of one processor, of which the function has 0.6.
    what: "export of an account: 100 MB in 300 files of a year, downloaded once",
    seconds: {
      ...{ authorizer: 3 * authorizer, auth: 0.2, "request-log": 3 * requestLog["request-log"] },
      export: (exportedDays + exportedFiles) * 0.03 + 4,
    },
    uses: {
      // The request, and its state twice.
      apiRequest: 3,
      // A page of each list, the months of usage, and two items for each upload of the last day.
      tableRead: 3 * 3 + 60,
      tableWrite: 3 * accessWrite + 3 + 3 * loggedWrites,
      queueRequest: 3,
      // A list for each day of speech, and parts of 5 MB with the begin and the end of their upload. S3 charges lists like writes.
      bucketWrite: exportedDays + 20 + 2,
      bucketRead: exportedFiles,
      logKilobyte: 3 * 1.75 + 1.5,
      outKilobyte: 100_000,
    },
  },
  {
    what: "page of the console, signed in",
    seconds: { console: 0.05 },
    uses: { apiRequest: 1, tableRead: 3, tableWrite: 1, logKilobyte: 1.75, outKilobyte: 8 },
  },
  {
    what: "message to the assistant, reply after 6 s",
    seconds: { webhook: 0.03, messaging: 6.1 },
    uses: { apiRequest: 1, tableRead: 3, tableWrite: 6, queueRequest: 3, logKilobyte: 5, outKilobyte: 3 },
  },
  {
    what: "mail of an account",
    seconds: { mail: 0.3 },
    uses: { tableRead: 4, tableWrite: 2, queueRequest: 3, mail: 1, logKilobyte: 2 },
  },
];

/**
 * Returns the share that X-Ray records without a rule, of requests that are spread over a month: the first of each second, and some of
 * the others.
 */
export const defaultTracedShare = (monthlyRequests: number): number => {
  const perSecond = monthlyRequests / (daysOfMonth * daySeconds);
  const first = (1 - Math.exp(-perSecond)) / perSecond;
  return first + sampledShare * (1 - first);
};

const invokedByApi = (name: string): boolean =>
  name === "authorizer" ||
  functionDefinitions.some(
    (one) => one.name === name && (one.operations.length > 0 || ("pages" in one && one.pages !== undefined)),
  );

const isTraced = (name: string): boolean =>
  functionDefinitions.some((one) => one.name === name && one.isTraced !== false);

/** How many traces a million requests of a kind leave. Functions that the API invokes are part of its request's trace. */
const tracesOf = ({ seconds, invocations = {}, uses: { apiRequest = 0 } }: RequestKind): number => {
  const counts: Readonly<Record<string, number | undefined>> = invocations;
  const own = Object.keys(seconds).filter(
    (name) => isTraced(name) && (apiRequest === 0 || !invokedByApi(name)),
  );
  const ofOwn = own.map((name) => {
    const invoked = (counts[name] ?? 1) * million;
    return invoked * defaultTracedShare(invoked);
  });
  return ofOwn.reduce((sum, one) => sum + one, apiRequest * sampledShare * million);
};

const computeOf = (
  { seconds, invocations = {} }: RequestKind,
  memoryMegabytes: ReadonlyMap<string, number>,
  region?: OtherRegion,
): number => {
  const counts: Readonly<Record<string, number | undefined>> = invocations;
  return Object.entries(seconds).reduce((sum, [name, time = 0]) => {
    const megabytes = memoryMegabytes.get(name);
    if (megabytes === undefined) throw new Error(`The template has no function "${name}".`);
    const invoked = counts[name] ?? 1;
    const charged = time + invoked * (startsPercent / 100) * startSeconds;
    const compute = (megabytes / 1_024) * charged * priceIn("lambdaSecond", region);
    return sum + (compute + invoked * priceIn("lambdaRequest", region)) * million;
  }, 0);
};

/** The parts of the cost of a million requests, in the order of the table. */
const partsOf = (
  kind: RequestKind,
  memoryMegabytes: ReadonlyMap<string, number>,
  region?: OtherRegion,
): number[] => {
  const { uses } = kind;
  const of = (...charged: (keyof typeof uses)[]) =>
    charged.reduce((sum, one) => sum + (uses[one] ?? 0) * priceIn(one, region) * million, 0);
  return [
    computeOf(kind, memoryMegabytes, region),
    of("apiRequest"),
    of("tableRead", "tableWrite"),
    of("queueRequest", "bucketWrite", "bucketRead", "mail"),
    of("logKilobyte") + tracesOf(kind) * priceIn("trace", region),
    of("outKilobyte"),
  ];
};

const sumOf = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + part, 0);

const rowOf = (kind: RequestKind, memoryMegabytes: ReadonlyMap<string, number>): string => {
  const next = new Map([...memoryMegabytes].map(([name, megabytes]) => [name, 2 * megabytes]));
  const parts = partsOf(kind, memoryMegabytes);
  return row(kind.what, ...[...parts, sumOf(parts), computeOf(kind, next)].map(inDollars));
};

/** Returns, as Markdown, the totals of each kind in the regions close to callers in Africa. @throws Error as {@link requestCosts}. */
export const regionalCosts = (memoryMegabytes: ReadonlyMap<string, number>): string => {
  const regions = Object.keys(otherRegions).filter((name): name is OtherRegion => name in otherRegions);
  const totals = requestKinds.map((kind) =>
    row(
      kind.what,
      ...[undefined, ...regions].map((region) => inDollars(sumOf(partsOf(kind, memoryMegabytes, region)))),
    ),
  );
  return [
    row("a million of", "us-east-1, $", ...regions.map((region) => `${region}, $`)),
    row("---", "--:", ...regions.map(() => "--:")),
    ...totals,
    "",
    "The prices of the last two regions are not verified. Cape Town is off in an account until you enable it.",
  ].join("\n");
};

/**
 * Returns, as Markdown, the cost of a million requests of each kind.
 *
 * @param memoryMegabytes the memory of each function, by its name.
 * @throws Error when a function is missing.
 */
export const requestCosts = (memoryMegabytes: ReadonlyMap<string, number>): string =>
  [
    row(
      "a million of",
      "Lambda, $",
      "API, $",
      "table, $",
      "queues, files, mail, $",
      "log, traces, $",
      "traffic, $",
      "total, $",
      "Lambda, next size, $",
    ),
    row("---", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:"),
    ...requestKinds.map((kind) => rowOf(kind, memoryMegabytes)),
    "",
    "The next size of Lambda is twice each function's memory. It also has twice the CPU and waits no shorter for models, so this is the " +
      "most that it costs; [measurements](measurements.md#first-responses) has what it gains.",
    "",
    `Assumed: ${startsPercent}% of the invocations start an environment first, for ${startSeconds} s. Requests are spread evenly over a ` +
      `month. X-Ray records ${sampledShare * 100}% of the API's requests; of invocations by queues and at a function's URL also the first ` +
      `of each second. Recordings have ${recordingKilobytesPerSecond} kB a second and go to model servers over the internet.`,
  ].join("\n");
