import { type Charged, prices, pricesAsOf } from "./prices.ts";
import { type RequestKind, requestKinds } from "./request-kinds.ts";

const million = 1_000_000;

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
    const each = (megabytes / 1_024) * time * prices.lambdaSecond.dollars + prices.lambdaRequest.dollars;
    return sum + each * million;
  }, 0);
  const of = (...charged: (keyof typeof uses)[]) =>
    charged.reduce((sum, one) => sum + (uses[one] ?? 0) * prices[one].dollars * million, 0);
  return {
    compute,
    api: of("apiRequest"),
    table: of("tableRead", "tableWrite"),
    rest: of("queueRequest", "bucketWrite", "mail", "logKilobyte", "outKilobyte"),
  };
};

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/**
 * What a million requests of each kind cost, and the prices behind it, as Markdown.
 *
 * @param memoryMegabytes the memory of each function, by its name.
 * @throws Error when a function is missing.
 */
export const costTable = (memoryMegabytes: ReadonlyMap<string, number>): string => {
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
    `Prices of us-east-1, ${pricesAsOf}, before free tiers:`,
    "",
    row("a million of", "$", ""),
    row("---", "--:", "---"),
    ...priced,
  ].join("\n");
};
