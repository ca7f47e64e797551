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
export const pricesAsOf = "2026-11-20";

/** What requests are charged for. */
export const prices = {
  lambdaSecond: { dollars: 0.000_013_333_4, unit: "GB-second of Lambda, arm64", source: "page" },
  lambdaRequest: { dollars: 0.2e-6, unit: "invocation of Lambda", source: "page" },
  apiRequest: { dollars: 3.5e-6, unit: "request to the REST API", source: "reported" },
  tableWrite: { dollars: 0.625e-6, unit: "write unit of DynamoDB, on demand", source: "reported" },
  tableRead: { dollars: 0.125e-6, unit: "read unit of DynamoDB, on demand", source: "reported" },
  queueRequest: { dollars: 0.5e-6, unit: "request to an SQS FIFO queue", source: "reported" },
  bucketWrite: { dollars: 5e-6, unit: "PUT to S3", source: "recalled" },
  mail: { dollars: 100e-6, unit: "mail by SES", source: "recalled" },
  logKilobyte: { dollars: 0.5e-6, unit: "kB of log taken in by CloudWatch", source: "recalled" },
  outKilobyte: { dollars: 0.09e-6, unit: "kB sent to the internet", source: "reported" },
} as const satisfies Record<string, Price>;

/** Something that is charged for. */
export type Charged = keyof typeof prices;
