import * as z from "zod";
import type { EventSource } from "./local-model.ts";
import type { FunctionCatalogue } from "./read-functions.ts";
import type { ResolvedAssembly } from "./resolved-assembly.ts";
import { functionNameOf, queueNameOf } from "./resource-kinds.ts";

const eventSourceSchema = z.object({
  EventSourceArn: z.string().startsWith("arn:aws:sqs:", "only queues are served as event sources"),
  FunctionName: z.string(),
  BatchSize: z.number().default(10),
  FunctionResponseTypes: z.array(z.string()).default([]),
  Enabled: z.boolean().default(true),
  // Messages that a filter drops on AWS would reach the function here.
  FilterCriteria: z.never("filters are not served").optional(),
});

/** The queues whose messages are given to functions. */
export const readEventSources = (assembly: ResolvedAssembly, functions: FunctionCatalogue): EventSource[] =>
  assembly.resources("AWS::Lambda::EventSourceMapping").flatMap((resource) => {
    const mapping = resource.read(eventSourceSchema);
    if (!mapping.Enabled) return [];
    return {
      logicalId: resource.logicalId,
      queueName: queueNameOf(mapping.EventSourceArn),
      functionName: functions.require(functionNameOf(mapping.FunctionName), resource),
      batchSize: mapping.BatchSize,
      reportBatchItemFailures: mapping.FunctionResponseTypes.includes("ReportBatchItemFailures"),
    };
  });
