import type { AppError } from "../../../platform/errors/app-error.ts";
import { dependencyFailure } from "../../../platform/errors/dependency-failure.ts";
import {
  BackendOverdue,
  BackendRefusal,
  BackendTimeout,
  BackendUnreachable,
} from "../../../platform/outbound/failures.ts";
import { ModelRefusal } from "./backend.ts";

/** What the end of a call means: for the caller's quota, for the server's circuit and for its metrics. */
export interface CallOutcome {
  /** Whether a model started to work, which is what callers pay for. */
  readonly modelStarted: boolean;
  /**
   * A refusal or nonsense shows that the server works; a caller who left, or our own failure, shows nothing. A model
   * slower than its timeout may be busy with a large request: that is a failure, but opens no circuit alone.
   */
  readonly server: "works" | "slow" | "unavailable" | "unknown";
  /** Whether the server is to blame for a missing or unusable response. */
  readonly hasFailed: boolean;
  /** Whether the call ended because the server took too long. */
  readonly timedOut: boolean;
}

export const succeeded: CallOutcome = {
  modelStarted: true,
  server: "works",
  hasFailed: false,
  timedOut: false,
};

/** Whether a failed exchange is the server's fault, rather than the caller's or our own. */
export const isServersFault = ({ code, cause }: AppError): boolean =>
  (code === "service_unavailable" || code === "external_service_error") && !dependencyFailure(cause);

const isTimeout = (reason: unknown): boolean =>
  reason instanceof DOMException && reason.name === "TimeoutError";

const isDown = (cause: unknown): boolean =>
  cause instanceof BackendTimeout ||
  cause instanceof BackendUnreachable ||
  isTimeout(cause) ||
  (cause instanceof BackendRefusal && cause.status >= 500);

/** Whether the server refused the request, and the caller receives that refusal. */
const isRefusedByServer = (failure: AppError): boolean =>
  failure instanceof ModelRefusal && failure.cause instanceof BackendRefusal;

/** @param wasSent whether a whole request reached the server: before that, no model can have started. */
export const outcomeOf = (
  failure: AppError,
  wasSent: boolean,
  { aborted, reason }: AbortSignal,
): CallOutcome => {
  const isServers = isServersFault(failure);
  const isSlow = wasSent && failure.cause instanceof BackendOverdue;
  const isKnown = !aborted && (isServers || isRefusedByServer(failure));
  const health = isServers && isDown(failure.cause) ? "unavailable" : "works";
  return {
    modelStarted: wasSent && !(failure instanceof ModelRefusal),
    server: !isKnown ? "unknown" : isSlow ? "slow" : health,
    hasFailed: isServers && (!aborted || isTimeout(reason)),
    timedOut: isKnown && (failure.cause instanceof BackendTimeout || isTimeout(failure.cause)),
  };
};

/** Failures in a row after which a server gets no calls for a while. */
const failuresToOpen = 5;

/** How long it gets no calls, before a single trial call. */
export const pauseSeconds = 10;

/** @param opensAtOnce whether this failure alone opens the circuit. */
type EndCall = (server: CallOutcome["server"], opensAtOnce?: boolean) => void;

/** Keeps calls away from a server that has been unavailable several times in a row, in this process. */
export class Circuit {
  readonly #listener: { onOpened(): void; onClosed(): void };
  #failuresInARow = 0;
  #wasUnavailable = false;
  #openUntil: number | undefined;
  #isTrialRunning = false;

  constructor(listener: { onOpened(): void; onClosed(): void }) {
    this.#listener = listener;
  }

  /** Whether no call may start now. */
  get isOpen(): boolean {
    return this.#openUntil !== undefined && (this.#isTrialRunning || Date.now() < this.#openUntil);
  }

  /** Starts a call, if one may start. @returns the function that takes its outcome, or `undefined`. */
  enter(): EndCall | undefined {
    if (this.#openUntil === undefined) return this.#endCall;
    // Other calls do not wait for the one trial, which can take minutes.
    if (this.isOpen) return undefined;
    this.#isTrialRunning = true;
    return this.#endTrial;
  }

  readonly #endCall: EndCall = (server, opensAtOnce = false) => {
    // Calls that started before the circuit opened may end after it.
    if (this.#openUntil !== undefined || server === "unknown") return;
    if (server === "works") {
      this.#forget();
      return;
    }
    this.#failuresInARow += 1;
    this.#wasUnavailable ||= server === "unavailable";
    const isDown = this.#wasUnavailable && this.#failuresInARow >= failuresToOpen;
    if (isDown || opensAtOnce) this.#open();
  };

  readonly #endTrial: EndCall = (server) => {
    this.#isTrialRunning = false;
    // A trial that proved nothing must not close the circuit.
    if (server !== "works") {
      this.#open();
      return;
    }
    this.#openUntil = undefined;
    this.#forget();
    this.#listener.onClosed();
  };

  #open(): void {
    this.#openUntil = Date.now() + pauseSeconds * 1_000;
    this.#listener.onOpened();
  }

  #forget(): void {
    this.#failuresInARow = 0;
    this.#wasUnavailable = false;
  }
}
