import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type JsonOperation, jsonOperation } from "../aws-protocol/aws-json.ts";
import type { MessageStore } from "./message-store.ts";
import {
  type QueueSettings,
  queueArn,
  queueNameSchema,
  queueSettingNames,
  queueSettingsSchema,
  settingsAsText,
} from "./queue-settings.ts";
import type { Queue, QueueStore } from "./queue-store.ts";
import { sqsError } from "./sqs-errors.ts";

const parseSettings = (attributes: Readonly<Record<string, string>>): QueueSettings => {
  const parsed = queueSettingsSchema.strict().safeParse(attributes);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw issue?.code === "unrecognized_keys"
    ? sqsError("InvalidAttributeName", `Unknown Attribute ${issue.keys.join(", ")}.`)
    : sqsError("InvalidAttributeValue", `Invalid value for the parameter ${issue?.path.join(".")}.`);
};

const createQueue = (
  queues: QueueStore,
  name: string,
  attributes: Readonly<Record<string, string>>,
): void => {
  const wanted = parseSettings(attributes);
  const existing = queues.find(name);
  if (existing === undefined) {
    queues.save(name, wanted);
    return;
  }
  const different = queueSettingNames.find(
    (setting) => setting in attributes && !isDeepStrictEqual(existing.settings[setting], wanted[setting]),
  );
  if (different !== undefined) {
    throw sqsError(
      "QueueNameExists",
      `A queue already exists with the same name and a different value for attribute ${different}`,
    );
  }
};

const describeQueue = (queue: Queue, messages: MessageStore): Record<string, string> => {
  const { visible, inFlight, delayed } = messages.counts(queue);
  return {
    ...settingsAsText(queue.settings),
    QueueArn: queueArn(queue.name),
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.modifiedAt / 1000)),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
};

const attributeNameSchema = z.enum([
  ...queueSettingNames,
  "All",
  "QueueArn",
  "CreatedTimestamp",
  "LastModifiedTimestamp",
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesNotVisible",
  "ApproximateNumberOfMessagesDelayed",
]);

const selectQueueAttributes = (
  described: Record<string, string>,
  names: readonly string[],
): Record<string, string> => {
  const unknown = names.find((name) => !attributeNameSchema.safeParse(name).success);
  if (unknown !== undefined) throw sqsError("InvalidAttributeName", `Unknown Attribute ${unknown}.`);
  if (names.includes("All")) return described;
  return Object.fromEntries(Object.entries(described).filter(([name]) => names.includes(name)));
};

/** The operations on queues as a whole. */
export const queueOperations = (
  queues: QueueStore,
  messages: MessageStore,
  queueUrl: (name: string) => string,
): [string, JsonOperation][] => [
  [
    "CreateQueue",
    jsonOperation(
      z.object({ QueueName: queueNameSchema, Attributes: z.record(z.string(), z.string()).default({}) }),
      ({ QueueName, Attributes }) => {
        createQueue(queues, QueueName, Attributes);
        return { QueueUrl: queueUrl(QueueName) };
      },
    ),
  ],
  [
    "ListQueues",
    jsonOperation(z.object({ QueueNamePrefix: z.string().default("") }), ({ QueueNamePrefix }) => ({
      QueueUrls: queues
        .all()
        .filter(({ name }) => name.startsWith(QueueNamePrefix))
        .map(({ name }) => queueUrl(name)),
    })),
  ],
  [
    "GetQueueAttributes",
    jsonOperation(
      z.object({ QueueUrl: z.string(), AttributeNames: z.array(z.string()).default([]) }),
      ({ QueueUrl, AttributeNames }) => {
        const described = describeQueue(queues.getByUrl(QueueUrl), messages);
        return { Attributes: selectQueueAttributes(described, AttributeNames) };
      },
    ),
  ],
];
