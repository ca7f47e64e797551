import { AwsError } from "../aws-protocol/aws-server.ts";
import type { Authority } from "../iam/authority.ts";
import { localAccountId, localRegion } from "../iam/local-account.ts";
import type { AccessRequest } from "../iam/policy.ts";
import { parseAddresses, type SendEmailInput } from "./send-email.ts";

const arnOf = (resource: string): string => `arn:aws:ses:${localRegion}:${localAccountId}:${resource}`;

/**
 * What a mail needs, for the sender's identity and for the configuration set. AWS documents `SendEmail` for the operation, and
 * refuses complete messages without `SendRawEmail`, so these need both.
 */
export const requiredAccess = (
  { ConfigurationSetName, Content }: SendEmailInput,
  from: string,
): AccessRequest[] => {
  const address = parseAddresses(from)[0]?.address ?? "";
  const actions = ["ses:SendEmail", ...(Content.Raw ? ["ses:SendRawEmail"] : [])];
  const resources = [
    `identity/${address}`,
    ...(ConfigurationSetName === undefined ? [] : [`configuration-set/${ConfigurationSetName}`]),
  ];
  const context = { "ses:FromAddress": [address] };
  return actions.flatMap((action) =>
    resources.map((resource) => ({ action, resource: arnOf(resource), context })),
  );
};

/** @throws AwsError in the words of SES unless the policies of the caller allow the mail. */
export const requireAccess = (
  authority: Authority,
  accessKeyId: string,
  input: SendEmailInput,
  from: string,
): void => {
  if (authority.secretOf(accessKeyId) === undefined) {
    const message = "The security token included in the request is invalid.";
    throw new AwsError("UnrecognizedClientException", message, 403);
  }
  const denial = authority.denialOf(accessKeyId, requiredAccess(input, from));
  if (!denial) return;
  const { caller, action, resource, reason } = denial;
  throw new AwsError(
    "AccessDeniedException",
    `User \`${caller}' is not authorized to perform \`${action}' on resource \`${resource}' ${reason}`,
    403,
  );
};
