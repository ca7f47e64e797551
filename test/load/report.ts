import { quantile } from "../bench/statistics.ts";
import type { LoadResult } from "./client.ts";

/** The memory of every process at one moment, in megabytes. */
export interface Sample {
  readonly second: number;
  readonly gateway: number;
  readonly model: number;
  readonly functions: readonly number[];
}

/** What each kind of request took, as a Markdown table. */
export const describeRequests = (results: readonly LoadResult[]): string[] => [
  "| what | requests | errors | first byte p50 ms | p50 ms | p99 ms |",
  "| --- | --: | --: | --: | --: | --: |",
  ...Object.entries(Object.groupBy(results, ({ kind }) => kind)).map(([kind, own = []]) => {
    const times = own.map(({ milliseconds }) => milliseconds);
    const firsts = own.map(({ firstByteMilliseconds }) => firstByteMilliseconds);
    const failed = own.filter(({ fault }) => fault !== undefined).length;
    const figures = [quantile(firsts, 0.5), quantile(times, 0.5), quantile(times, 0.99)];
    const cells = figures.map((milliseconds) => milliseconds.toFixed(1)).join(" | ");
    return `| ${kind} | ${times.length} | ${failed} | ${cells} |`;
  }),
];

/** The first errors that callers met, and what the service's log says about errors. */
export const describeFaults = (results: readonly LoadResult[], log: string) => {
  const faults = results.filter(({ fault }) => fault !== undefined);
  const complaints = log.split("\n").filter((line) => /"level":"ERROR"|timed out|exited/.test(line));
  return {
    faults: faults.length,
    lines: [
      ...faults.slice(0, 5).map(({ kind, fault }) => `error: ${kind}: ${fault}`),
      ...(faults.length > 0 ? complaints.slice(0, 5).map((line) => `log: ${line.slice(0, 600)}`) : []),
    ],
  };
};

/** How memory went, at ten moments, as a Markdown table; and whether the gateway's grew. */
export const describeMemory = (samples: readonly Sample[]): string[] => {
  const gateway = samples.map((sample) => sample.gateway);
  const quarter = (index: number) =>
    quantile(gateway.slice((index * samples.length) / 4, ((index + 1) * samples.length) / 4), 0.5);
  const step = Math.max(1, Math.ceil(samples.length / 10));
  return [
    "| second | gateway MB | model server MB | functions | their median MB | largest MB |",
    "| --: | --: | --: | --: | --: | --: |",
    ...samples
      .filter((_, index) => index % step === 0)
      .map((sample) => {
        const megabytes = [sample.gateway, sample.model].map((each) => each.toFixed(0)).join(" | ");
        const { second, functions } = sample;
        const largest = Math.max(0, ...functions).toFixed(0);
        return `| ${second} | ${megabytes} | ${functions.length} | ${quantile(functions, 0.5).toFixed(0)} | ${largest} |`;
      }),
    "",
    `gateway memory, last quarter of the time to the second: ${(quarter(3) / quarter(1)).toFixed(2)}x`,
  ];
};
