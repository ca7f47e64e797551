import { queueNameSchema, queueSettingsSchema } from "./queue-settings.ts";
import type { SqsServer } from "./sqs-server.ts";

/**
 * Creates or updates a queue from the properties of an `AWS::SQS::Queue` CloudFormation resource; its messages stay.
 * A property that the template leaves out has its default again. Properties without a meaning on one machine, such as
 * encryption and tags, are ignored.
 *
 * @param properties the resource's properties after intrinsic functions were resolved.
 * @throws ZodError when a property is out of its bounds, AwsError when the dead-letter queue was not created before.
 */
export const ensureQueue = async (
  server: SqsServer,
  queueName: string,
  properties: unknown,
): Promise<void> => {
  server.saveQueue(queueNameSchema.parse(queueName), queueSettingsSchema.parse(properties ?? {}));
};
