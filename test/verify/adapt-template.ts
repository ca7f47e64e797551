import * as z from "zod";
import type { WholeTemplate } from "./templates.ts";

/** Types that moto's CloudFormation does not make, with what happens to them instead. */
export const notCreated: Readonly<Record<string, string>> = {
  "AWS::ApiGateway::Account":
    "left out: the role with which API Gateway writes logs, which moto does not write",
  "AWS::ApiGateway::BasePathMapping": "left out with the domain name",
  "AWS::ApiGateway::DomainName": "left out: no name leads to moto",
  "AWS::ApiGateway::Stage": "left out: throttling and logs, of which moto has none",
  "AWS::Budgets::Budget": "left out: moto's CloudFormation makes none",
  "AWS::CloudFront::Distribution": "left out: in front of the function URL",
  "AWS::CloudFront::Function": "left out with the distribution",
  "AWS::CloudWatch::Alarm": "left out: moto's CloudFormation creates no alarms; test/infra checks each",
  "AWS::CodeDeploy::Application": "left out: moto shifts no traffic",
  "AWS::CodeDeploy::DeploymentGroup": "left out with the application",
  "AWS::DynamoDB::GlobalTable": "made as AWS::DynamoDB::Table, which has the same keys",
  "AWS::Lambda::Alias": "left out: moto's CloudFormation makes versions but no aliases",
  "AWS::Lambda::Url": "left out: moto's CloudFormation makes none",
  "AWS::S3::BucketPolicy": "left out: moto's CloudFormation makes none; cfn-lint and parliament read them",
  "AWS::SES::ConfigurationSet":
    "left out: moto's CloudFormation makes nothing of SES; the service's own calls go to its SES",
  "AWS::SES::ConfigurationSetEventDestination": "left out with the configuration set",
  "AWS::SES::EmailIdentity": "left out: the sender is verified by a call",
  "AWS::SNS::Subscription": "left out: a mail to the operator",
  "AWS::SNS::TopicPolicy": "left out with the subscription",
  "AWS::SQS::QueuePolicy": "left out: moto's CloudFormation makes none; cfn-lint and parliament read them",
  "AWS::SecretsManager::Secret": "created by a call, with a value generated as the template says",
  "AWS::WAFv2::WebACL": "left out: moto filters nothing",
  "AWS::WAFv2::WebACLAssociation": "left out with the rules",
  "AWS::XRay::SamplingRule": "left out: moto records no traces",
  "Custom::S3AutoDeleteObjects": "left out: a function of CDK, which moto would run in Docker",
};

/** Created by a call after the stack: moto's CloudFormation ignores the API's definition, and deploys no API without methods. */
const deployment = "AWS::ApiGateway::Deployment";

/** Replaces a reference to a resource that is not created. */
type PlaceholderOf = (logicalId: string) => unknown;

const replaceReferences = (
  value: unknown,
  gone: ReadonlySet<string>,
  placeholderOf: PlaceholderOf,
): unknown => {
  if (Array.isArray(value)) return value.map((entry) => replaceReferences(entry, gone, placeholderOf));
  // Aliases are not made, so nothing can be called by one.
  if (typeof value === "string") return value.replace(/:live\b/, "");
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first) {
    const [name, argument] = first;
    const target =
      name === "Ref" ? argument : name === "Fn::GetAtt" && Array.isArray(argument) ? argument[0] : "";
    if (typeof target === "string" && gone.has(target)) return placeholderOf(target);
  }
  return Object.fromEntries(
    entries.map(([name, entry]) => {
      const isDependency = name === "DependsOn" && Array.isArray(entry);
      const remaining = isDependency ? entry.filter((id) => !gone.has(String(id))) : entry;
      return [name, replaceReferences(remaining, gone, placeholderOf)];
    }),
  );
};

/** Adapts the template to moto: a table's type, and a FIFO queue's generated name. */
const forMoto = (queueName: string, resource: WholeTemplate["Resources"][string]): typeof resource => {
  const { Replicas: _replicas, ...Properties } = Object(resource["Properties"]);
  if (resource.Type === "AWS::DynamoDB::GlobalTable") {
    return { ...resource, Type: "AWS::DynamoDB::Table", Properties };
  }
  if (resource.Type === "AWS::SQS::Queue" && Properties.FifoQueue) {
    return { ...resource, Properties: { QueueName: queueName, ...Properties } };
  }
  return resource;
};

const aliasTarget = z.object({
  Type: z.literal("AWS::Lambda::Alias"),
  Properties: z.object({ FunctionName: z.object({ Ref: z.string() }) }),
});

/**
 * The template without what moto cannot create.
 *
 *
 * @param secretArns the ARNs of the secrets created by calls, by logical id
 */
export const withoutUncreated = (
  stackName: string,
  template: WholeTemplate,
  secretArns: ReadonlyMap<string, string>,
): WholeTemplate => {
  const placeholderOf = (id: string): unknown => {
    const alias = aliasTarget.safeParse(template.Resources[id]);
    // Calls go to the function where there is no alias of it.
    if (alias.success) return { "Fn::GetAtt": [alias.data.Properties.FunctionName.Ref, "Arn"] };
    return secretArns.get(id) ?? `not-made-${id}`;
  };
  const resources = Object.entries(template.Resources).map(
    ([id, resource]) => [id, forMoto(`${stackName}-${id}.fifo`, resource)] as const,
  );
  const isGone = (type: string): boolean => type in notCreated || type === deployment;
  const gone = new Set(resources.filter(([, { Type }]) => isGone(Type)).map(([id]) => id));
  const remaining = Object.fromEntries(resources.filter(([id]) => !gone.has(id)));
  const adapted = replaceReferences({ ...template, Resources: remaining }, gone, placeholderOf);
  return { ...template, ...Object(adapted) };
};
