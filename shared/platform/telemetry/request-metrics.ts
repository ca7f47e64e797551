import { backendMetricDefinitions } from "./backend-uses.ts";
import { requestScope } from "./request-scope.ts";

export interface RequestMetrics {
  readonly operation: string;
  readonly milliseconds: number;
  /** For a request: the time until the head of the response, without waiting for models. */
  readonly own_milliseconds?: number;
  /** 1 for a response with a 4xx status, else 0. */
  readonly client_error: 0 | 1;
  /** 1 for a response with a 5xx status, one that was broken off, or a record that must come again, else 0. */
  readonly server_error: 0 | 1;
}

const milliseconds = { Name: "milliseconds" satisfies keyof RequestMetrics, Unit: "Milliseconds" };
const ownTime = { Name: "own_milliseconds" satisfies keyof RequestMetrics, Unit: "Milliseconds" };

const errorNames = ["client_error", "server_error"] as const satisfies readonly (keyof RequestMetrics)[];

/** CloudWatch charges a metric for each hour with a value, so lines without an error write no zeros. */
const errorMetrics = (metrics: RequestMetrics) =>
  errorNames.filter((name) => metrics[name] > 0).map((Name) => ({ Name, Unit: "Count" }));

/** The definitions by which CloudWatch reads metrics out of a line (embedded metric format). */
const envelope = (
  Namespace: string,
  metrics: RequestMetrics,
  backends: Readonly<Record<string, unknown>>,
) => {
  const withoutDimension = backendMetricDefinitions(backends);
  if (metrics.own_milliseconds !== undefined) withoutDimension.push(ownTime);
  return {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace,
          Dimensions: [["operation" satisfies keyof RequestMetrics]],
          Metrics: [milliseconds, ...errorMetrics(metrics)],
        },
        // A line can give a dimension one value only, and a message calls up to five backends: each has metrics of
        // its own instead, without a dimension. So has the service's own time, which is observed over all operations.
        ...(withoutDimension.length > 0 ? [{ Namespace, Dimensions: [[]], Metrics: withoutDimension }] : []),
      ],
    },
  };
};

let isFirst = true;

/** Whether this is the first such line in the process: its request waited for the function to start. */
const takeColdStart = (): boolean => {
  const isCold = isFirst;
  isFirst = false;
  return isCold;
};

/**
 * Fields for the last line of the current request: its measurements, the time spent waiting for models and other
 * backends (if any was called), and what makes the line a source of metrics, by operation and by backend. CloudWatch
 * extracts them, without a call, an agent or a second line. The number of samples of `milliseconds` is the number of
 * requests.
 *
 * Without a namespace in the request's scope the line carries no metrics.
 */
export const measured = (metrics: RequestMetrics) => {
  const scope = requestScope();
  const backends = scope?.backends.fields() ?? {};
  const namespace = scope?.metricsNamespace;
  return {
    cold_start: takeColdStart(),
    ...metrics,
    ...(scope?.upstreamMilliseconds === undefined
      ? {}
      : { upstream_milliseconds: Math.round(scope.upstreamMilliseconds) }),
    model_server: scope?.backends.servers,
    ...backends,
    ...(namespace ? envelope(namespace, metrics, backends) : {}),
  };
};
