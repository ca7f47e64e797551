import { createHash } from "node:crypto";
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from "../aws-protocol/local-account.ts";

const ARN_PREFIX = `arn:aws:secretsmanager:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:secret:`;

// AWS ends the ARN with six random letters. Taken from the name they are as opaque, but a template can be resolved
// before the secret exists.
const suffix = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 6);

/** The ARN of a local secret. */
export const secretArn = (name: string): string => `${ARN_PREFIX}${name}-${suffix(name)}`;

/**
 * Whether an identifier means the secret of this name: the name, the ARN, or the ARN without its last six letters, which
 * AWS takes as well.
 */
export const identifiesSecret = (identifier: string, name: string): boolean =>
  identifier === name || identifier === secretArn(name) || identifier === `${ARN_PREFIX}${name}`;
