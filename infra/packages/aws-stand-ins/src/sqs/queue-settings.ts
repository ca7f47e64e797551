import * as z from "zod";
import { localAccountId, localRegion } from "../iam/local-account.ts";

const arnPrefix = `arn:aws:sqs:${localRegion}:${localAccountId}:`;

/** The ARN of a local queue. */
export const queueArn = (queueName: string): string => `${arnPrefix}${queueName}`;

/** The name in a local queue's ARN; undefined for an ARN of anything else. */
export const queueNameOfArn = (arn: string): string | undefined =>
  arn.startsWith(arnPrefix) ? arn.slice(arnPrefix.length) : undefined;

/** 1 to 80 letters, digits, `-` and `_`, of which `.fifo` counts for five. */
export const queueNameSchema = z
  .string()
  .max(80)
  .regex(
    /^[\w-]+(\.fifo)?$/,
    "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
  );

const quantity = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

const flag = z.coerce
  .string()
  .pipe(z.enum(["true", "false"]))
  .transform((value) => value === "true");

const parseJsonText = (value: unknown): unknown => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
};

const redrivePolicy = z.preprocess(
  parseJsonText,
  z.object({
    deadLetterTargetArn: z
      .string()
      .refine((arn) => queueNameOfArn(arn) !== undefined, "not the ARN of a local queue"),
    maxReceiveCount: quantity(1, 1000),
  }),
);

/**
 * The attributes of a queue under their names in the SQS API, with its bounds and defaults. Takes both spellings: text,
 * as the API sends every value, and the numbers, booleans and objects of a CloudFormation template.
 */
export const queueSettingsSchema = z.object({
  FifoQueue: flag.default(false),
  ContentBasedDeduplication: flag.default(false),
  DeduplicationScope: z.enum(["queue", "messageGroup"]).default("queue"),
  FifoThroughputLimit: z.enum(["perQueue", "perMessageGroupId"]).default("perQueue"),
  DelaySeconds: quantity(0, 900).default(0),
  MaximumMessageSize: quantity(1024, 1_048_576).default(1_048_576),
  MessageRetentionPeriod: quantity(60, 1_209_600).default(345_600),
  ReceiveMessageWaitTimeSeconds: quantity(0, 20).default(0),
  VisibilityTimeout: quantity(0, 43_200).default(30),
  RedrivePolicy: redrivePolicy.optional(),
});

export type QueueSettings = z.output<typeof queueSettingsSchema>;

/** The names of all attributes that can be set, in the order of the schema. */
export const queueSettingNames = queueSettingsSchema.keyof().options;

/** The queue that takes what this one gave up on; undefined without a redrive policy. */
export const deadLetterQueueName = ({ RedrivePolicy }: QueueSettings): string | undefined =>
  RedrivePolicy && queueNameOfArn(RedrivePolicy.deadLetterTargetArn);

const fifoOnly: ReadonlySet<string> = new Set([
  "FifoQueue",
  "ContentBasedDeduplication",
  "DeduplicationScope",
  "FifoThroughputLimit",
]);

/** The settings as the API returns them: every value as text, those of FIFO queues only on FIFO queues. */
export const settingsAsText = (settings: QueueSettings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings)
      .filter(([name, value]) => value !== undefined && (settings.FifoQueue || !fifoOnly.has(name)))
      .map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  );
