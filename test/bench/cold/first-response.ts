/** What a caller waits for whose request starts a new environment, by the memory of the function. */
import { lambdaOptions } from "../processes.ts";
import { median, shuffled } from "../statistics.ts";
import { cpuShare, withCpuShare } from "./cpu-share.ts";
import { type Bundle, firstEvents, type Servers, sendRequests } from "./first-request.ts";

/** The memory sizes that are compared, in MB. */
export const memorySizes = [256, 512, 1_024] as const;
type MemorySize = (typeof memorySizes)[number];

/** The first requests of the functions whose callers wait. */
const events: Readonly<Record<string, string>> = { ...firstEvents, jobs: "events/jobs/list-jobs.json" };

/** The first responses of a function. */
export interface FirstResponses {
  readonly name: string;
  /** Its memory in the template. */
  readonly memoryMegabytes: number;
  /** From the start of the process to the end of the response, the median of the rounds. */
  readonly milliseconds: ReadonlyMap<MemorySize, number>;
}

const measureOnce = async (
  bundle: Bundle,
  event: string,
  size: MemorySize,
  { secure: address, variables }: Servers,
): Promise<number | undefined> =>
  withCpuShare(cpuShare(size), async (processesFile) => {
    const nodeArgs = lambdaOptions(size);
    const [first] = await sendRequests(bundle, {
      event,
      times: 1,
      address,
      processesFile,
      variables,
      nodeArgs,
    });
    return first?.endedAtMilliseconds;
  });

/**
 * Measures the time from the start of the process to the end of the first response, with everything behind TLS: the start with a whole
 * CPU, as Lambda starts functions, and the request with the share of a CPU of each memory size. Models respond at once.
 *
 * @returns `undefined` where the machine offers no share of a CPU (cgroups).
 */
export const measureFirstResponses = async (
  bundles: readonly Bundle[],
  rounds: number,
  servers: Servers,
): Promise<FirstResponses[] | undefined> => {
  const cases = bundles.flatMap((bundle) => {
    const event = events[bundle.name];
    return event ? memorySizes.map((size) => ({ bundle, event, size, times: [] as number[] })) : [];
  });
  for (let round = 0; round < rounds; round += 1) {
    for (const { bundle, event, size, times } of shuffled(cases)) {
      const time = await measureOnce(bundle, event, size, servers);
      if (time === undefined) return undefined;
      times.push(time);
    }
  }
  return [...Map.groupBy(cases, ({ bundle }) => bundle)].map(([{ name, memoryMegabytes }, own]) => ({
    name,
    memoryMegabytes,
    milliseconds: new Map(own.map(({ size, times }) => [size, median(times)])),
  }));
};
