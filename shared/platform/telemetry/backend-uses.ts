/** The tasks that model servers do. One server may do several of them. */
export const modelTasks = ["chat", "translation", "transcription", "speech"] as const;
export type ModelTask = (typeof modelTasks)[number];

/** What requests and messages wait for that is not of AWS: the model servers by their tasks, and the messaging platform. */
export const backendNames = [...modelTasks, "platform"] as const;
export type BackendName = (typeof backendNames)[number];

/**
 * What is measured of a backend. The number of samples of `milliseconds` is the number of calls; the counts are written
 * only when they are not 0.
 */
const measures = ["milliseconds", "failures", "circuit_opened"] as const;
type BackendMeasure = (typeof measures)[number];

/** One of several servers of a task has metrics of its own, such as `chat_gpu_failures`. */
export type MeasuredName = BackendName | `${ModelTask}_${string}`;

/** A measure of a backend, as members of log lines and CloudWatch's metrics are called. */
export const backendMetric = <Name extends MeasuredName, Measure extends BackendMeasure>(
  name: Name,
  measure: Measure,
) => `${name}_${measure}` as const;

/** CloudWatch's maximum of values of one metric in a line. */
const maxSamples = 100;

interface BackendUse {
  readonly milliseconds: number[];
  failures: number;
  circuit_opened: number;
}

/** The calls to backends of one request or queue record. */
export class BackendUses {
  readonly #uses = new Map<MeasuredName, BackendUse>();
  #servers: readonly string[] = [];

  /**
   * @param milliseconds how long the call took; for a streamed response, until it started.
   * @param hasFailed whether the backend is to blame for the missing or unusable response.
   */
  noteCall(name: MeasuredName, milliseconds: number, hasFailed: boolean): void {
    const use = this.#use(name);
    if (use.milliseconds.length < maxSamples) use.milliseconds.push(Math.round(milliseconds));
    if (hasFailed) use.failures += 1;
  }

  /** A call was the one that opened the backend's circuit. */
  noteCircuitOpened(name: MeasuredName): void {
    this.#use(name).circuit_opened += 1;
  }

  /** A model's server has replied. */
  noteServer(server: string): void {
    if (!this.#servers.includes(server)) this.#servers = [...this.#servers, server];
  }

  /** The model servers that replied, in the order of their first replies: `gpu, hosted`; `undefined` if none did. */
  get servers(): string | undefined {
    return this.#servers.length === 0 ? undefined : this.#servers.join(", ");
  }

  /** Members of a log line. */
  fields(): Record<string, number | readonly number[]> {
    const fields: Record<string, number | readonly number[]> = {};
    for (const [name, { milliseconds, failures, circuit_opened }] of this.#uses) {
      const [first, ...more] = milliseconds;
      if (first !== undefined) {
        fields[backendMetric(name, "milliseconds")] = more.length === 0 ? first : milliseconds;
      }
      if (failures > 0) fields[backendMetric(name, "failures")] = failures;
      if (circuit_opened > 0) fields[backendMetric(name, "circuit_opened")] = circuit_opened;
    }
    return fields;
  }

  #use(name: MeasuredName): BackendUse {
    const known = this.#uses.get(name);
    if (known) return known;
    const use: BackendUse = { milliseconds: [], failures: 0, circuit_opened: 0 };
    this.#uses.set(name, use);
    return use;
  }
}

/** The names of all metrics of backends, where each task has one server. */
export const backendMetricNames: readonly string[] = backendNames.flatMap((name) =>
  measures.map((measure) => backendMetric(name, measure)),
);

/** CloudWatch's definitions of the measures that {@link BackendUses.fields} returned. */
export const backendMetricDefinitions = (
  fields: Readonly<Record<string, unknown>>,
): { Name: string; Unit: string }[] =>
  Object.keys(fields).map((Name) => ({
    Name,
    Unit: Name.endsWith("_milliseconds" satisfies `_${BackendMeasure}`) ? "Milliseconds" : "Count",
  }));
