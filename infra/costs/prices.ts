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
export const pricesAsOf = "2026-11-20";

/** The prices of what requests use. */
export const prices = {
  lambdaSecond: { dollars: 0.000_013_333_4, unit: "GB-second of Lambda, arm64", source: "page" },
  lambdaRequest: { dollars: 0.2e-6, unit: "invocation of Lambda", source: "page" },
  apiRequest: { dollars: 3.5e-6, unit: "request to the REST API", source: "reported" },
  tableWrite: { dollars: 0.625e-6, unit: "write unit of DynamoDB, on demand", source: "reported" },
  tableRead: { dollars: 0.125e-6, unit: "read unit of DynamoDB, on demand", source: "reported" },
  queueRequest: { dollars: 0.5e-6, unit: "request to an SQS FIFO queue", source: "reported" },
  bucketWrite: { dollars: 5e-6, unit: "PUT to S3", source: "recalled" },
  bucketRead: { dollars: 0.4e-6, unit: "GET from S3", source: "recalled" },
  mail: { dollars: 100e-6, unit: "mail by SES", source: "recalled" },
  logKilobyte: { dollars: 0.5e-6, unit: "kB of log ingested by CloudWatch", source: "recalled" },
  trace: { dollars: 5e-6, unit: "trace recorded by X-Ray", source: "recalled" },
  outKilobyte: { dollars: 0.09e-6, unit: "kB sent to the internet", source: "reported" },
} as const satisfies Record<string, Price>;

export type Charged = keyof typeof prices;

/** What a metric costs in a month in which each of its hours has a value. */
export const metricMonth = 0.3;

export const million = 1_000_000;

export const daysOfMonth = 30;

export const inDollars = (amount: number): string => amount.toFixed(2);

/** A row of a table in Markdown. */
export const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
