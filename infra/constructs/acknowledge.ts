import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * Says why a finding of the security checks (cdk-nag) does not apply to a construct and its children.
 *
 * @param id the rule, with the finding in brackets where a rule has several
 */
export const acknowledge = (construct: IConstruct, id: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id, reason });
