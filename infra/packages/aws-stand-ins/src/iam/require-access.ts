import { AwsError } from "../aws-protocol/aws-server.ts";
import type { Authority, Denial } from "./authority.ts";
import type { AccessRequest } from "./policy.ts";

/** The sentence of most services about a denial. */
export const denialMessage = ({ caller, action, resource, reason }: Denial): string =>
  `User: ${caller} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;

interface Refusals {
  /** The code for an unknown key. */
  readonly unknownKey?: string;
  readonly status?: number;
  readonly message?: (denial: Denial) => string;
}

/**
 * Lets a call pass only if the policies of its caller allow all that it needs.
 *
 * @param authority without one, every key may do everything.
 * @param refusals how a service refuses, where it differs from most.
 * @throws AwsError `AccessDeniedException`, or the code for an unknown key.
 */
export const requireAccess = (
  authority: Authority | undefined,
  accessKeyId: string,
  requests: readonly AccessRequest[],
  { unknownKey = "UnrecognizedClientException", status = 400, message = denialMessage }: Refusals = {},
): void => {
  if (!authority) return;
  if (authority.secretOf(accessKeyId) === undefined) {
    throw new AwsError(unknownKey, "The security token included in the request is invalid.", status);
  }
  const denial = authority.denialOf(accessKeyId, requests);
  if (denial) throw new AwsError("AccessDeniedException", message(denial), status);
};
