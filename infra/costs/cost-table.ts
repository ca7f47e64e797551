import { type Charged, million, prices, pricesAsOf, row } from "./prices.ts";
import { regionalCosts, requestCosts } from "./request-costs.ts";
import { type StageUse, stageCosts } from "./stage-costs.ts";

const sourceWords = {
  page: "",
  reported: "from published guides",
  recalled: "not verified",
} as const;

/** Returns, as Markdown, the costs of requests and of the stage, and the prices. @throws Error when a function is missing. */
export const costTable = (use: StageUse): string => {
  const names: readonly Charged[] = Object.keys(prices).filter((name): name is Charged => name in prices);
  const priced = names.map((name) => {
    const { unit, dollars, source } = prices[name];
    return row(unit, `${Number((dollars * million).toPrecision(6))}`, sourceWords[source]);
  });
  return [
    requestCosts(use.memoryMegabytes),
    "",
    regionalCosts(use.memoryMegabytes),
    "",
    stageCosts(use),
    "",
    `Prices of us-east-1, ${pricesAsOf}, before free tiers:`,
    "",
    row("a million of", "$", ""),
    row("---", "--:", "---"),
    ...priced,
  ].join("\n");
};
