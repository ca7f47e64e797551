import { setTimeout as pause } from "node:timers/promises";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import type { SendReceipt } from "../../shared/messaging/send-receipt.ts";
import {
  type Attempt,
  type MessageRecord,
  type MessageRecords,
  type Progress,
  RetryLater,
} from "./message-records.ts";
import type { SendOutcome } from "./messaging-platform.ts";
import type { Output, Plan } from "./plan.ts";

export interface OutboxDependencies {
  readonly records: Pick<MessageRecords, "receipts" | "save">;
  /** Sends an output; `index` is its number within the reply. */
  readonly deliver: (output: Output, index: number) => Promise<SendOutcome>;
  /** Returns what follows an output that was refused for good, instead of what was planned. */
  readonly afterRefusal: (output: Output, refusal: RefusedOutcome, progress: Progress) => Partial<Progress>;
  /** How long after a send to wait for the platform's report. */
  readonly receiptMilliseconds: number;
}

/** The outcome of an output that the platform refused for good. */
export type RefusedOutcome = Extract<SendOutcome, { readonly kind: "refused" }>;

const lookAgainMilliseconds = 100;

/**
 * Sends the outputs of a reply, each exactly once, even if the work is interrupted.
 *
 * Before it sends an output, it records `sending_since`. An attempt that finds this mark, or lost the platform's response, does not
 * know whether the output was sent. The platform does: it reports every message that it accepted, with our reference. With such a
 * report the output is finished; without one, after a while, it is sent again.
 */
export class Outbox {
  readonly #message: InboundMessage;
  readonly #attempt: Attempt;
  readonly #dependencies: OutboxDependencies;
  #receipts: MessageRecord["receipts"];
  #progress: Progress;
  /** How many outputs this attempt has sent before its plan. */
  #said = 0;

  constructor(
    message: InboundMessage,
    attempt: Attempt,
    { receipts, ...progress }: MessageRecord,
    dependencies: OutboxDependencies,
  ) {
    this.#message = message;
    this.#attempt = attempt;
    this.#dependencies = dependencies;
    this.#receipts = receipts;
    this.#progress = progress;
  }

  get progress(): Progress {
    return this.#progress;
  }

  get isPlanned(): boolean {
    return this.#progress.changes !== undefined;
  }

  /** Sends an output before the plan, unless an earlier attempt has already sent it. */
  async sayNow(output: Output): Promise<void> {
    this.#said += 1;
    if (this.#said > this.#progress.outputs.length) this.#append([output]);
    await this.flush();
  }

  async execute(plan: Plan): Promise<void> {
    this.add(plan);
    await this.flush();
  }

  /** Adds a plan, which the next output stores that is sent. */
  add({ outputs, changes }: Plan): void {
    this.#append(outputs);
    this.#progress = { ...this.#progress, changes };
  }

  /** Stores the plan before anything of it is sent. @throws LeaseLost */
  save(): Promise<void> {
    return this.#dependencies.records.save(this.#message, this.#attempt, this.#progress);
  }

  /** Sends all unfinished outputs. @throws RetryLater, LeaseLost */
  async flush(): Promise<void> {
    for (;;) {
      const index = this.#progress.settled;
      const output = this.#progress.outputs[index];
      if (!output) return;
      const receipt = await this.#receiptOf(index);
      await this.#finish(receipt ? fromReceipt(receipt) : await this.#send(output, index), output);
    }
  }

  #append(outputs: readonly Output[]): void {
    this.#progress = { ...this.#progress, outputs: [...this.#progress.outputs, ...outputs] };
  }

  /** Returns the platform's report about an output that an earlier attempt may have sent. */
  async #receiptOf(index: number): Promise<SendReceipt | undefined> {
    const { sending_since: since } = this.#progress;
    if (since === undefined) return undefined;
    for (;;) {
      const receipt = this.#receipts[String(index)];
      if (receipt || Date.now() - since > this.#dependencies.receiptMilliseconds) return receipt;
      await pause(lookAgainMilliseconds);
      this.#receipts = await this.#dependencies.records.receipts(this.#message);
    }
  }

  async #send(output: Output, index: number): Promise<SendOutcome> {
    this.#progress = { ...this.#progress, sending_since: Date.now() };
    await this.#dependencies.records.save(this.#message, this.#attempt, this.#progress);
    return this.#dependencies.deliver(output, index);
  }

  async #finish(outcome: SendOutcome, output: Output): Promise<void> {
    const { sending_since: _, ...progress } = this.#progress;
    if (outcome.kind === "unknown") throw new RetryLater(5, "It is unknown whether the reply was sent.");
    if (outcome.kind === "postponed") {
      // Not sent, so the next attempt need not wait for a report.
      await this.#dependencies.records.save(this.#message, this.#attempt, progress);
      throw new RetryLater(outcome.seconds, `The platform did not accept the reply (code ${outcome.code}).`);
    }
    this.#progress = {
      ...progress,
      settled: progress.settled + 1,
      ...(outcome.kind === "accepted"
        ? { replies: [...progress.replies, outcome.id] }
        : { refusals: [...progress.refusals, outcome.code] }),
    };
    if (outcome.kind === "refused") {
      const change = this.#dependencies.afterRefusal(output, outcome, this.#progress);
      this.#progress = { ...this.#progress, ...change };
    }
  }
}

const fromReceipt = ({ id, refusal }: SendReceipt): SendOutcome =>
  refusal === undefined
    ? { kind: "accepted", id }
    : { kind: "refused", reason: "unreachable", code: refusal };
