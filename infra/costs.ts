import type { functionDefinitions } from "../functions/manifest.ts";

/** A price of AWS in us-east-1, in dollars, before free tiers and discounts. */
interface Price {
  readonly dollars: number;
  readonly unit: string;
  /**
   * `page` was read on AWS's price page, `reported` in guides of 2025 and 2026 that agree; `recalled` has to be looked up
   * before somebody counts on it.
   */
  readonly source: "page" | "reported" | "recalled";
}

/** When the prices below were put together. */
const pricesAsOf = "2026-11-20";

/** What requests are charged for. */
const prices = {
  lambdaSecond: { dollars: 0.000_013_333_4, unit: "GB-second of Lambda, arm64", source: "page" },
  lambdaRequest: { dollars: 0.2e-6, unit: "invocation of Lambda", source: "page" },
  apiRequest: { dollars: 3.5e-6, unit: "request to the REST API", source: "reported" },
  tableWrite: { dollars: 0.625e-6, unit: "write unit of DynamoDB, on demand", source: "reported" },
  tableRead: { dollars: 0.125e-6, unit: "read unit of DynamoDB, on demand", source: "reported" },
  queueRequest: { dollars: 0.5e-6, unit: "request to an SQS FIFO queue", source: "reported" },
  bucketWrite: { dollars: 5e-6, unit: "PUT to S3", source: "recalled" },
  mail: { dollars: 100e-6, unit: "mail by SES", source: "recalled" },
  logKilobyte: { dollars: 0.5e-6, unit: "kB of log taken in by CloudWatch", source: "recalled" },
  trace: { dollars: 5e-6, unit: "trace kept by X-Ray", source: "recalled" },
  outKilobyte: { dollars: 0.09e-6, unit: "kB sent to the internet", source: "reported" },
} as const satisfies Record<string, Price>;

/** Something that is charged for. */
type Charged = keyof typeof prices;

type FunctionName = (typeof functionDefinitions)[number]["name"];

/** What one request of a kind uses. Seconds are assumptions about the models; the rest follows from the code. */
interface RequestKind {
  readonly what: string;
  /** How long each function runs for it. */
  readonly seconds: Readonly<Partial<Record<FunctionName, number>>>;
  /** How much else it uses; what is absent it does not use. */
  readonly uses: Readonly<Partial<Record<Exclude<Charged, "lambdaSecond" | "lambdaRequest">, number>>>;
}

const authorizer = 0.005;

/** Of a hundred invocations, how many start an environment first; a start is charged like work. */
const startsPercent = 1;
const startSeconds = 0.3;

/** X-Ray's own sampling: one request a second, and of the others so many in a hundred. */
const tracedPercent = 5;

/** An access item of 1 to 2 kB. */
const accessWrite = 2;
/**
 * The API, the write that checks the token and counts, for every other request another one that counts what it has used,
 * because its account is not busy, and the lines of both functions.
 */
const taskUses = { apiRequest: 1, tableWrite: 1.5 * accessWrite, logKilobyte: 3 };
/** A stream gives its place back with a second write of the same item, which counts what it has used as well. */
const streamUses = { ...taskUses, tableWrite: 2 * accessWrite, outKilobyte: 60 };

/** The requests that a deployment mostly sees. */
const requestKinds: readonly RequestKind[] = [
  {
    what: "preflight of a browser, answered by API Gateway",
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
    what: "chat, answered whole after 5 s",
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
    what: "message to the assistant, answered after 6 s",
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

/** What a resource costs a month, whether anybody calls or not, in dollars. */
const monthly = {
  "AWS::CloudWatch::Alarm": { dollars: 0.1, what: "alarms" },
  "AWS::CloudWatch::Dashboard": { dollars: 3, what: "dashboards" },
  "AWS::SecretsManager::Secret": { dollars: 0.4, what: "secrets" },
  // Five connections ask the queue, each every 20 seconds.
  "AWS::Lambda::EventSourceMapping": {
    dollars: ((5 * 30 * 24 * 60 * 60) / 20) * prices.queueRequest.dollars,
    what: "queues asked for messages",
  },
} as const;

/**
 * What a stage costs that nobody calls, as a sentence.
 *
 * @param resources how many there are of each type in the stage's templates.
 */
const idleCost = (resources: ReadonlyMap<string, number>): string => {
  const parts = Object.entries(monthly).map(([type, { dollars: each, what }]) => {
    const count = resources.get(type) ?? 0;
    return { count, what, sum: count * each };
  });
  const total = parts.reduce((sum, part) => sum + part.sum, 0);
  const named = parts.map(({ count, what, sum }) => `${count} ${what} ${dollars(sum)}`);
  return `A stage that nobody calls costs about $${dollars(total)} a month: ${named.join(", ")}.`;
};

const sourceWords = {
  page: "",
  reported: "as published guides have it",
  recalled: "to be verified",
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
 * What a million requests of each kind cost, and the prices behind it, as Markdown.
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
      "in all, $",
    ),
    row("---", "--:", "--:", "--:", "--:", "--:"),
    ...kinds,
    "",
    idleCost(resources),
    "",
    `Of a hundred invocations ${startsPercent} is taken to start an environment first, for ${startSeconds} s, and X-Ray to keep ${tracedPercent} traces.`,
    "",
    `Prices of us-east-1, ${pricesAsOf}, before free tiers:`,
    "",
    row("a million of", "$", ""),
    row("---", "--:", "---"),
    ...priced,
  ].join("\n");
};
