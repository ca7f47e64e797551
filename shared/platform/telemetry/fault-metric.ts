import type { Context } from "aws-lambda";
import { toAppError } from "../errors/dependency-failure.ts";
import { requestScope } from "./request-scope.ts";

/** The names by which a release's alarms find the metric. */
export const faultMetric = { name: "faults", dimension: "function_version" } as const;

/** The version of a function that does the work, as `name:12`: the value of the metric's dimension. */
export const versionOf = ({ functionName, functionVersion }: Context): string =>
  `${functionName}:${functionVersion}`;

/** Neither the caller's nor a model's: a bug, a missing permission, a store that refuses. */
const ownFaults: ReadonlySet<string> = new Set(["internal", "storage_unavailable"]);

/** Where a fault is counted. */
export interface FaultScope {
  readonly metricsNamespace?: string | undefined;
  readonly functionVersion?: string | undefined;
}

/**
 * Fields for the line that reports an error: they count it as a fault of this version of the function, if it is the service's own. A
 * version without faults writes none, and so costs no metric.
 *
 * @param scope by default that of the current request or record.
 */
export const faultFields = (
  error: unknown,
  { metricsNamespace, functionVersion }: FaultScope = requestScope() ?? {},
) => {
  if (!metricsNamespace || !functionVersion || !ownFaults.has(toAppError(error).code)) return {};
  const Metrics = [{ Name: faultMetric.name, Unit: "Count" }];
  const definition = { Namespace: metricsNamespace, Dimensions: [[faultMetric.dimension]], Metrics };
  return {
    [faultMetric.name]: 1,
    [faultMetric.dimension]: functionVersion,
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [definition] },
  };
};
