import type { functionDefinitions } from "../functions/manifest.ts";
import { daySeconds } from "../shared/platform/durations.ts";

/** A price of AWS in us-east-1, in dollars, before free tiers and discounts. */
interface Price {
  readonly dollars: number;
  readonly unit: string;
  /**
   * `page`: from AWS's price page. `reported`: from guides of 2025 and 2026 that agree. `recalled`: from memory, so check it before
   * you rely on it.
   */
  readonly source: "page" | "reported" | "recalled";
}

/** The date of the prices. */
const pricesAsOf = "2026-11-20";

/** The prices of what requests use. */
const prices = {
  lambdaSecond: { dollars: 0.000_013_333_4, unit: "GB-second of Lambda, arm64", source: "page" },
  lambdaRequest: { dollars: 0.2e-6, unit: "invocation of Lambda", source: "page" },
  apiRequest: { dollars: 3.5e-6, unit: "request to the REST API", source: "reported" },
  tableWrite: { dollars: 0.625e-6, unit: "write unit of DynamoDB, on demand", source: "reported" },
  tableRead: { dollars: 0.125e-6, unit: "read unit of DynamoDB, on demand", source: "reported" },
  queueRequest: { dollars: 0.5e-6, unit: "request to an SQS FIFO queue", source: "reported" },
  bucketWrite: { dollars: 5e-6, unit: "PUT to S3", source: "recalled" },
  mail: { dollars: 100e-6, unit: "mail by SES", source: "recalled" },
  logKilobyte: { dollars: 0.5e-6, unit: "kB of log ingested by CloudWatch", source: "recalled" },
  trace: { dollars: 5e-6, unit: "trace recorded by X-Ray", source: "recalled" },
  outKilobyte: { dollars: 0.09e-6, unit: "kB sent to the internet", source: "reported" },
} as const satisfies Record<string, Price>;

type Charged = keyof typeof prices;

type FunctionName = (typeof functionDefinitions)[number]["name"];

/** The use of one request of a kind. The seconds are assumptions about the models; the rest follows from the code. */
interface RequestKind {
  readonly what: string;
  /** How long each function runs for the request. */
  readonly seconds: Readonly<Partial<Record<FunctionName, number>>>;
  /** Its other uses. */
  readonly uses: Readonly<Partial<Record<Exclude<Charged, "lambdaSecond" | "lambdaRequest">, number>>>;
}

const authorizer = 0.005;

/** The percentage of invocations that first start an environment. AWS charges a start like work. */
const startsPercent = 1;
const startSeconds = 0.3;

/** X-Ray's default sampling: one request per second, and this percentage of the others. */
const tracedPercent = 5;

/** An access item of 1 to 2 kB. */
const accessWrite = 2;
/**
 * The API, the write that checks the token and counts the request, another write of usage for every second request, and the log
 * lines of both functions.
 */
const taskUses = { apiRequest: 1, tableWrite: 1.5 * accessWrite, logKilobyte: 3 };
/** A stream releases its slot with a second write of the same item, which also counts its usage. */
const streamUses = { ...taskUses, tableWrite: 2 * accessWrite, outKilobyte: 60 };

/** The most frequent requests of a deployment. */
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
    seconds: { authorizer, language: 0.01 },
    uses: { ...taskUses, outKilobyte: 1 },
  },
  {
    what: "translation, 1 s in the model",
    seconds: { authorizer, translate: 1.02 },
    uses: { ...taskUses, outKilobyte: 1 },
  },
  {
    what: "chat, whole response after 5 s",
    seconds: { authorizer, chat: 5.02 },
    uses: { ...taskUses, outKilobyte: 2 },
  },
  {
    what: "chat, streamed for 10 s through the REST API",
    seconds: { authorizer, chat: 10.02 },
    uses: streamUses,
  },
  {
    what: "chat, streamed for 10 s through the function URL",
    seconds: { chat: 10.03 },
    uses: { ...streamUses, apiRequest: 0, logKilobyte: 2 },
  },
  {
    what: "speech, 3 s in the model, stored",
    seconds: { authorizer, speech: 3.1 },
    uses: { ...taskUses, bucketWrite: 1, outKilobyte: 200 },
  },
  {
    what: "transcription, 10 s in the model",
    seconds: { authorizer, transcription: 10.1 },
    uses: { ...taskUses, outKilobyte: 2 },
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

const million = 1_000_000;

/** The monthly cost of each resource without requests, in dollars. */
const monthly = {
  "AWS::CloudWatch::Alarm": { dollars: 0.1, what: "alarms" },
  "AWS::CloudWatch::Dashboard": { dollars: 3, what: "dashboards" },
  "AWS::SecretsManager::Secret": { dollars: 0.4, what: "secrets" },
  // Five connections poll the queue, each every 20 seconds.
  "AWS::Lambda::EventSourceMapping": {
    dollars: ((5 * 30 * daySeconds) / 20) * prices.queueRequest.dollars,
    what: "polled queues",
  },
} as const;

/**
 * Returns a sentence with the monthly cost of a stage without requests.
 *
 * @param resources how many of each type are in the stage's templates.
 */
const idleCost = (resources: ReadonlyMap<string, number>): string => {
  const parts = Object.entries(monthly).map(([type, { dollars: each, what }]) => {
    const count = resources.get(type) ?? 0;
    return { count, what, sum: count * each };
  });
  const total = parts.reduce((sum, part) => sum + part.sum, 0);
  const named = parts.map(({ count, what, sum }) => `${count} ${what} ${dollars(sum)}`);
  return `A stage without requests costs about $${dollars(total)} per month: ${named.join(", ")}.`;
};

const sourceWords = {
  page: "",
  reported: "from published guides",
  recalled: "not verified",
} as const;

const dollars = (amount: number): string => amount.toFixed(2);

const costOf = ({ seconds, uses }: RequestKind, memoryMegabytes: ReadonlyMap<string, number>) => {
  const compute = Object.entries(seconds).reduce((sum, [name, time = 0]) => {
    const megabytes = memoryMegabytes.get(name);
    if (megabytes === undefined) throw new Error(`The template has no function "${name}".`);
    const charged = time + (startsPercent / 100) * startSeconds;
    const each = (megabytes / 1_024) * charged * prices.lambdaSecond.dollars + prices.lambdaRequest.dollars;
    return sum + each * million;
  }, 0);
  const of = (...charged: (keyof typeof uses)[]) =>
    charged.reduce((sum, one) => sum + (uses[one] ?? 0) * prices[one].dollars * million, 0);
  return {
    compute,
    api: of("apiRequest"),
    table: of("tableRead", "tableWrite"),
    rest:
      of("queueRequest", "bucketWrite", "mail", "logKilobyte", "outKilobyte") +
      (tracedPercent / 100) * prices.trace.dollars * million,
  };
};

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/**
 * Returns, as Markdown, the cost of a million requests of each kind, and the prices.
 *
 * @param memoryMegabytes the memory of each function, by its name.
 * @param resources how many resources of each type the stage has.
 * @throws Error when a function is missing.
 */
export const costTable = (
  memoryMegabytes: ReadonlyMap<string, number>,
  resources: ReadonlyMap<string, number>,
): string => {
  const kinds = requestKinds.map((kind) => {
    const { compute, api, table, rest } = costOf(kind, memoryMegabytes);
    const cells = [compute, api, table, rest, compute + api + table + rest].map(dollars);
    return row(kind.what, ...cells);
  });
  const names: readonly Charged[] = Object.keys(prices).filter((name): name is Charged => name in prices);
  const priced = names.map((name) => {
    const { unit, dollars: price, source } = prices[name];
    return row(unit, `${Number((price * million).toPrecision(6))}`, sourceWords[source]);
  });
  return [
    row(
      "a million of",
      "Lambda, $",
      "API, $",
      "table, $",
      "queues, storage, mail, log, traffic, $",
      "total, $",
    ),
    row("---", "--:", "--:", "--:", "--:", "--:"),
    ...kinds,
    "",
    idleCost(resources),
    "",
    `Assumed: ${startsPercent} % of the invocations start an environment first, for ${startSeconds} s, and X-Ray records ${tracedPercent} % of the requests.`,
    "",
    `Prices of us-east-1, ${pricesAsOf}, before free tiers:`,
    "",
    row("a million of", "$", ""),
    row("---", "--:", "---"),
    ...priced,
  ].join("\n");
};
