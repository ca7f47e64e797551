import { setTimeout as pause } from "node:timers/promises";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import type { SendReceipt } from "../../shared/messaging/send-receipt.ts";
import type { Attempt, MessageRecord, MessageRecords, Progress } from "./message-records.ts";
import { RetryLater } from "./message-records.ts";
import type { SendOutcome } from "./messaging-platform.ts";
import type { Output, Plan } from "./plan.ts";
import { apology } from "./wording.ts";

/** What an outbox works with. */
export interface OutboxDependencies {
  readonly records: Pick<MessageRecords, "receipts" | "save">;
  /** Sends the output that has this number among the answers to the message. */
  readonly deliver: (output: Output, index: number) => Promise<SendOutcome>;
  /** How long after a send the platform's report about it is waited for. */
  readonly receiptMilliseconds: number;
}

const lookAgainMilliseconds = 100;

/**
 * Sends the answers to one message, each exactly once, however often the work on the message is interrupted.
 *
 * Before an output leaves, the record says that it may be on its way. Whoever finds such a mark after a crash, or did not
 * get the platform's response, does not know whether the output arrived. The platform does: it reports every message it
 * took, with our reference. With such a report the output is settled; without one, after a while, it is sent again.
 */
export class Outbox {
  readonly #message: InboundMessage;
  readonly #attempt: Attempt;
  readonly #dependencies: OutboxDependencies;
  #receipts: MessageRecord["receipts"];
  #progress: Progress;
  /** How many outputs this try has asked for before its plan was made. */
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

  /** Sends an output before the plan is made, unless an earlier try has got as far. */
  async sayNow(output: Output): Promise<void> {
    this.#said += 1;
    if (this.#said > this.#progress.outputs.length) this.#append([output]);
    await this.flush();
  }

  /** Sends the rest of the answer. */
  async execute({ outputs, changes }: Plan): Promise<void> {
    this.#append(outputs);
    this.#progress = { ...this.#progress, changes };
    await this.flush();
  }

  /** Sends whatever is not settled. @throws RetryLater, LeaseLost */
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

  /** The platform's report about an output that an earlier try may have sent. */
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
    if (outcome.kind === "unknown") throw new RetryLater(5, "Nobody knows whether the answer arrived.");
    if (outcome.kind === "postponed") {
      // Certainly not sent, so the next try need not wait for a report.
      await this.#dependencies.records.save(this.#message, this.#attempt, progress);
      throw new RetryLater(outcome.seconds, `The platform did not take the answer (code ${outcome.code}).`);
    }
    this.#progress = {
      ...progress,
      settled: progress.settled + 1,
      ...(outcome.kind === "accepted"
        ? { replies: [...progress.replies, outcome.id] }
        : { refusals: [...progress.refusals, outcome.code] }),
    };
    // Something is wrong with what we wanted to say, which is no reason to say nothing.
    const isOurFault = outcome.kind === "refused" && outcome.reason === "content";
    if (isOurFault && output.kind !== "text") this.#append([apology("broken")]);
  }
}

const fromReceipt = ({ id, refusal }: SendReceipt): SendOutcome =>
  refusal === undefined
    ? { kind: "accepted", id }
    : { kind: "refused", reason: "unreachable", code: refusal };
