/** What a request's line in the log says for CloudWatch's metrics. */
export interface RequestMetrics {
  readonly operation: string;
  readonly milliseconds: number;
  /** 1 for an answer with a 4xx status, else 0. */
  readonly client_error: 0 | 1;
  /** 1 for an answer with a 5xx status or one that was broken off, else 0. */
  readonly server_error: 0 | 1;
}

/**
 * Makes a line of the log a source of metrics, by operation: CloudWatch reads them out of it (embedded metric format),
 * without a call, an agent or a second line. The number of samples of `milliseconds` is the number of requests.
 *
 * @param namespace under which the metrics are filed, one for each stage; without one there are none.
 */
export const metricEnvelope = (namespace: string | undefined) =>
  namespace
    ? {
        _aws: {
          Timestamp: Date.now(),
          CloudWatchMetrics: [
            {
              Namespace: namespace,
              Dimensions: [["operation" satisfies keyof RequestMetrics]],
              Metrics: [
                { Name: "milliseconds" satisfies keyof RequestMetrics, Unit: "Milliseconds" },
                { Name: "client_error" satisfies keyof RequestMetrics, Unit: "Count" },
                { Name: "server_error" satisfies keyof RequestMetrics, Unit: "Count" },
              ],
            },
          ],
        },
      }
    : {};
