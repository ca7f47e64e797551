import type { InboundMessage, MessageContent } from "../../shared/messaging/inbound-message.ts";
import { windowClosed } from "./graph-outcome.ts";
import type { Progress } from "./message-records.ts";
import type { OutboxDependencies } from "./outbox.ts";
import type { Changes } from "./plan.ts";
import type { Wording } from "./wording/english.ts";
import { apology } from "./wording.ts";

/** What decides what follows a refused output. */
export interface RefusalContext {
  readonly message: InboundMessage;
  readonly wording: Wording;
  /** Whether the stage names a template for results that come too late. */
  readonly hasTemplate: boolean;
}

/** The change that keeps a transcript until the person writes again; none for other messages. */
export const waitFor = (content: MessageContent): Changes =>
  content.type === "transcript"
    ? { waiting_result: { job_id: content.jobId, voice_note_id: content.voiceNoteId } }
    : {};

const waiting = ({ outputs, settled, changes }: Progress, content: MessageContent): Partial<Progress> => ({
  outputs: outputs.slice(0, settled),
  changes: { ...changes, ...waitFor(content) },
});

/**
 * Decides what follows an output that the platform refused for good:
 *
 * - A transcript that came after the platform's window for it goes as a template message, or waits for the person's next message.
 * - For a message with something wrong in it, the person gets an apology.
 * - Otherwise the person cannot be reached, and the other outputs follow as planned.
 */
export const afterRefusal =
  ({ message, wording, hasTemplate }: RefusalContext): OutboxDependencies["afterRefusal"] =>
  (output, { reason, code }, progress) => {
    const { content } = message;
    if (output.kind === "template") return waiting(progress, content);
    if (content.type === "transcript" && code === windowClosed) {
      if (!hasTemplate) return waiting(progress, content);
      const template = { kind: "template", jobId: content.jobId } as const;
      return { outputs: [...progress.outputs.slice(0, progress.settled), template] };
    }
    const isOurFault = reason === "content" && output.kind !== "text";
    return isOurFault ? { outputs: [...progress.outputs, apology("broken", wording)] } : {};
  };
