import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { localAccountId } from "../iam/local-account.ts";
import type { LogSubscription } from "../template/local-model.ts";
import type { LambdaService } from "./lambda-service.ts";

/** Lines are collected for this long; CloudWatch takes some seconds. */
const collectedMilliseconds = 200;

/** Lines beyond these are dropped while a function is slower than the others write. */
const maxWaitingLines = 10_000;

/** CloudWatch sends larger batches, up to a megabyte. */
const maxBatchSize = 500;

interface FeedOptions {
  readonly subscription: LogSubscription;
  readonly lambda: Pick<LambdaService, "invoke">;
  readonly log: (line: string) => void;
}

/** Sends the lines of a log group that match a pattern to a function, in batches, as CloudWatch does. */
export class LogFeed {
  readonly #options: FeedOptions;
  readonly #waiting: { readonly timestamp: number; readonly message: string }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Takes a line of the group. */
  take(message: string): void {
    if (!this.#options.subscription.matches(message) || this.#waiting.length >= maxWaitingLines) return;
    this.#waiting.push({ timestamp: Date.now(), message });
    this.#timer ??= setTimeout(() => void this.#send(), collectedMilliseconds).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  async #send(): Promise<void> {
    const { lambda, subscription, log } = this.#options;
    const lines = this.#waiting.splice(0, maxBatchSize);
    const batch = {
      messageType: "DATA_MESSAGE",
      owner: localAccountId,
      logGroup: subscription.logGroup,
      logStream: "local",
      subscriptionFilters: [subscription.logicalId],
      logEvents: lines.map((line) => ({ id: randomUUID(), ...line })),
    };
    try {
      const data = gzipSync(JSON.stringify(batch)).toString("base64");
      await lambda.invoke(subscription.functionName, { awslogs: { data } });
    } catch (error) {
      log(
        `${subscription.logicalId} could not be delivered: ${error instanceof Error ? error.message : error}`,
      );
    }
    this.#timer = undefined;
    if (this.#waiting.length > 0)
      this.#timer = setTimeout(() => void this.#send(), collectedMilliseconds).unref();
  }
}
