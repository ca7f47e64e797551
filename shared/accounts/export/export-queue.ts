import * as z from "zod";
import type { AwsConfig } from "../../platform/outbound/aws-config.ts";
import { openFifoQueue } from "../../platform/queue/fifo-queue.ts";

/** A message in the queue of exports. */
export const exportRequest = z.object({ userId: z.int(), exportId: z.string() });
export type ExportRequest = z.infer<typeof exportRequest>;

/** The queue of exports to be prepared. */
export interface ExportQueue {
  send(request: ExportRequest): Promise<void>;
}

/** Opens the queue of exports over SQS FIFO. The exports of an account are prepared one after another. */
export const openExportQueue = (queueUrl: string, aws: AwsConfig): ExportQueue => {
  const { send } = openFifoQueue(queueUrl, aws);
  return { send: (request) => send(request, String(request.userId), request.exportId) };
};
