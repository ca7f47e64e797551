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

/**
 * Regions close to callers in Africa, with what is charged differently there, in dollars. All of it is from memory, so check it before
 * you rely on it.
 */
export const otherRegions = {
  "Ireland (eu-west-1)": { tableWrite: 0.705e-6, tableRead: 0.1415e-6, logKilobyte: 0.57e-6 },
  "Cape Town (af-south-1)": {
    lambdaSecond: 0.000_017_68,
    lambdaRequest: 0.27e-6,
    apiRequest: 4.55e-6,
    tableWrite: 0.742e-6,
    tableRead: 0.1485e-6,
    queueRequest: 0.6e-6,
    bucketWrite: 6e-6,
    bucketRead: 0.48e-6,
    logKilobyte: 0.6e-6,
    trace: 6.5e-6,
    outKilobyte: 0.154e-6,
  },
} as const satisfies Record<string, Partial<Record<Charged, number>>>;

export type OtherRegion = keyof typeof otherRegions;

/** Returns the price of a region. @param region by default us-east-1. */
export const priceIn = (charged: Charged, region?: OtherRegion): number => {
  const own: Partial<Record<Charged, number>> = region === undefined ? {} : otherRegions[region];
  return own[charged] ?? prices[charged].dollars;
};

/** What a metric costs in a month in which each of its hours has a value. */
export const metricMonth = 0.3;

export const million = 1_000_000;

export const daysOfMonth = 30;

export const inDollars = (amount: number): string => amount.toFixed(2);

/** A row of a table in Markdown. */
export const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
