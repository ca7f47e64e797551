import { createHash } from "node:crypto";
import { localAccountId, localRegion } from "../iam/local-account.ts";

const arnPrefix = `arn:aws:secretsmanager:${localRegion}:${localAccountId}:secret:`;

// AWS ends the ARN with six random letters. Taken from the name they are as opaque, but a template can be resolved
// before the secret exists.
const suffix = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 6);

/** The ARN of a local secret. */
export const secretArn = (name: string): string => `${arnPrefix}${name}-${suffix(name)}`;

/**
 * Whether an identifier means the secret of this name: the name, the ARN, or the ARN without its last six letters, which
 * AWS takes as well.
 */
export const identifiesSecret = (identifier: string, name: string): boolean =>
  identifier === name || identifier === secretArn(name) || identifier === `${arnPrefix}${name}`;
