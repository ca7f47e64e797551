import * as z from "zod";
import { AwsError } from "../aws-protocol/aws-server.ts";
import { type Authority, denialMessage } from "../iam/authority.ts";
import { queueArn } from "./queue-settings.ts";

const input = z.object({
  QueueUrl: z.string().optional(),
  QueueName: z.string().optional(),
  SourceArn: z.string().optional(),
});

const resourceOf = (body: unknown): string => {
  const { QueueUrl, QueueName, SourceArn } = input.safeParse(body).data ?? {};
  if (SourceArn !== undefined) return SourceArn;
  const name = QueueName ?? QueueUrl?.slice(QueueUrl.lastIndexOf("/") + 1);
  return name === undefined ? "*" : queueArn(name);
};

/**
 * Lets each operation need the permission of its name. A batch needs that of its single operation.
 *
 * @throws AwsError in SQS's words, which have the action in lower case, unless the policies of the caller allow it.
 */
export const requireAccess =
  (authority: Authority) =>
  (accessKeyId: string, operation: string, body: unknown): void => {
    if (authority.secretOf(accessKeyId) === undefined) {
      throw new AwsError(
        "InvalidClientTokenId",
        "The security token included in the request is invalid.",
        403,
      );
    }
    const action = `sqs:${operation.replace(/Batch$/, "")}`;
    const denial = authority.denialOf(accessKeyId, [{ action, resource: resourceOf(body) }]);
    if (!denial) return;
    const message = denialMessage(denial).replaceAll(action, action.toLowerCase());
    throw new AwsError("AccessDeniedException", message, 403);
  };
