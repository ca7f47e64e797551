import * as z from "zod";
import type { Role } from "../iam/authority.ts";
import { compilePolicy, type Statement } from "../iam/policy.ts";
import { TemplateError } from "./intrinsic-functions.ts";
import type { LocalRole } from "./local-model.ts";
import type { ResolvedAssembly, ResourceView } from "./resolved-assembly.ts";

const managedSchema = z.object({ ManagedPolicyArns: z.array(z.string()).default([]) });
const attachedSchema = z.object({ Roles: z.array(z.string()).default([]) });

const inlineDocuments = z.array(z.object({ PolicyDocument: z.unknown() })).default([]);

/** The policies of AWS that functions of the CDK have, by name. */
const awsPolicies: Readonly<Record<string, readonly string[] | undefined>> = {
  AWSLambdaBasicExecutionRole: ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"],
};

/** The roles of an assembly, by ARN. */
export class RoleCatalogue {
  readonly roles: readonly LocalRole[];
  readonly #unreadable = new Map<string, TemplateError>();

  constructor(assembly: ResolvedAssembly) {
    const attached = assembly.resources("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy");
    this.roles = assembly.resources("AWS::IAM::Role").flatMap((resource) => {
      try {
        const { logicalId, name, arn } = resource;
        return [{ logicalId, name, arn, statements: readStatements(resource, attached) }];
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        this.#unreadable.set(resource.arn, error);
        return [];
      }
    });
  }

  /**
   * The role that a function has; one that may do nothing when it is not in the assembly.
   *
   * @throws TemplateError when its permissions cannot be judged.
   */
  find(arn: string): Role {
    const unreadable = this.#unreadable.get(arn);
    if (unreadable !== undefined) throw unreadable;
    const found = this.roles.find((role) => role.arn === arn);
    return found ?? { name: arn.slice(arn.lastIndexOf("/") + 1), statements: [] };
  }
}

const readStatements = (role: ResourceView, attached: readonly ResourceView[]): Statement[] => {
  const { ManagedPolicyArns } = role.read(managedSchema);
  const inline = inlineDocuments.parse(role.readTolerating("Policies", "Resource"));
  const ofRole = attached.filter(
    (policy) =>
      ManagedPolicyArns.includes(policy.arn) || policy.read(attachedSchema).Roles.includes(role.name),
  );
  const ofAws = ManagedPolicyArns.filter((arn) => !attached.some((policy) => policy.arn === arn));
  return [
    ...inline.flatMap(({ PolicyDocument }) => compile(PolicyDocument, role)),
    ...ofRole.flatMap((policy) => compile(policy.readTolerating("PolicyDocument", "Resource"), policy)),
    ...ofAws.flatMap((arn) => compile(readAwsPolicy(arn, role), role)),
  ];
};

const documentSchema = z.looseObject({
  Statement: z
    .union([z.looseObject({}), z.array(z.looseObject({}))])
    .transform((statement) => [statement].flat()),
});

/** A statement about something that has no local meaning, such as a KMS key, is about nothing that can be called here. */
const isAboutSomething = (statement: Readonly<Record<string, unknown>>): boolean =>
  !("Resource" in statement) || [statement["Resource"]].flat().some((resource) => resource !== undefined);

const compile = (document: unknown, resource: ResourceView): Statement[] => {
  try {
    const { Statement, ...others } = documentSchema.parse(document);
    return compilePolicy({ ...others, Statement: Statement.filter(isAboutSomething) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw resource.error(`has permissions that cannot be judged: ${reason}`);
  }
};

const readAwsPolicy = (arn: string, role: ResourceView): object => {
  const Action = awsPolicies[arn.slice(arn.lastIndexOf("/") + 1)];
  if (Action === undefined) throw role.error(`has the policy ${arn}, whose content is not known here`);
  return { Version: "2012-10-17", Statement: { Effect: "Allow", Action: [...Action], Resource: "*" } };
};
