import { localAccountId, localRegion } from "../iam/local-account.ts";
import { secretArn } from "../secrets/secret-arn.ts";
import type { Stack } from "./cloud-assembly.ts";

/** Where the things live that functions reach by address rather than by name. */
export interface LocalAddresses {
  /** Origin of the queue service, such as `http://127.0.0.1:9324`: the SDK sends to the host of a queue's URL. */
  readonly queues: string;
  /** The address of a function's URL, with a trailing slash, as `Fn::GetAtt … FunctionUrl` returns it. */
  functionUrl(functionName: string): string;
}

/** The known values of a resource for references to it. */
export interface Identity {
  readonly name: string;
  readonly arn: string;
  readonly addresses: LocalAddresses;
  /** A property of the resource as text, references resolved. */
  property(key: string): string;
}

/** What references to one type of resource give. Types that are not listed have no local meaning. */
interface ResourceKind {
  /** The property that sets the physical name. */
  readonly nameProperty?: string;
  arn?(name: string): string;
  /** The value of `Ref`; the name when absent. */
  ref?(identity: Identity): string;
  readonly attributes?: Readonly<Record<string, (identity: Identity) => string>>;
}

const arnOf = (service: string, resource: string): string =>
  `arn:aws:${service}:${localRegion}:${localAccountId}:${resource}`;

const iamArn = (resource: string): string => `arn:aws:iam::${localAccountId}:${resource}`;

const arnAttribute = { Arn: ({ arn }: Identity): string => arn };

const queueUrl = ({ name, addresses }: Identity): string => `${addresses.queues}/${localAccountId}/${name}`;

const table: ResourceKind = {
  nameProperty: "TableName",
  arn: (name) => arnOf("dynamodb", `table/${name}`),
  attributes: arnAttribute,
};

// A version or an alias acts as its function: one machine runs one version.
const qualifiedFunction = (qualifier: (identity: Identity) => string): ResourceKind => ({
  ref: (identity) => {
    const target = identity.property("FunctionName");
    const functionArn = target.startsWith("arn:") ? target : arnOf("lambda", `function:${target}`);
    return `${functionArn}:${qualifier(identity)}`;
  },
});

const resourceKinds: Readonly<Record<string, ResourceKind | undefined>> = {
  "AWS::ApiGateway::Authorizer": {},
  "AWS::ApiGateway::Resource": {},
  "AWS::ApiGateway::RestApi": { attributes: { RootResourceId: ({ name }) => `${name}/root` } },
  "AWS::ApiGateway::Stage": { nameProperty: "StageName" },
  "AWS::DynamoDB::GlobalTable": table,
  "AWS::DynamoDB::Table": table,
  "AWS::IAM::ManagedPolicy": {
    nameProperty: "ManagedPolicyName",
    arn: (name) => iamArn(`policy/${name}`),
    ref: ({ arn }) => arn,
  },
  "AWS::IAM::Role": {
    nameProperty: "RoleName",
    arn: (name) => iamArn(`role/${name}`),
    attributes: arnAttribute,
  },
  "AWS::Lambda::Alias": qualifiedFunction((identity) => identity.property("Name")),
  "AWS::Lambda::Function": {
    nameProperty: "FunctionName",
    arn: (name) => arnOf("lambda", `function:${name}`),
    attributes: arnAttribute,
  },
  "AWS::Lambda::Url": {
    attributes: {
      FunctionUrl: ({ addresses, property }) =>
        addresses.functionUrl(functionNameOf(property("TargetFunctionArn"))),
    },
  },
  "AWS::Lambda::Version": { ...qualifiedFunction(() => "1"), attributes: { Version: () => "1" } },
  "AWS::Logs::LogGroup": {
    nameProperty: "LogGroupName",
    arn: (name) => arnOf("logs", `log-group:${name}:*`),
    attributes: arnAttribute,
  },
  "AWS::S3::Bucket": {
    nameProperty: "BucketName",
    arn: (name) => `arn:aws:s3:::${name}`,
    attributes: arnAttribute,
  },
  "AWS::SES::ConfigurationSet": { nameProperty: "Name" },
  "AWS::SES::EmailIdentity": { nameProperty: "EmailIdentity" },
  "AWS::SQS::Queue": {
    nameProperty: "QueueName",
    arn: (name) => arnOf("sqs", name),
    ref: queueUrl,
    attributes: { ...arnAttribute, QueueName: ({ name }) => name, QueueUrl: queueUrl },
  },
  "AWS::SecretsManager::Secret": {
    nameProperty: "Name",
    arn: secretArn,
    ref: ({ arn }) => arn,
    attributes: { Id: ({ arn }) => arn },
  },
};

/** The function's name in its ARN, with or without a qualifier; also in a bare name. */
export const functionNameOf = (reference: string): string =>
  /(?:^|:function:)(?<name>[^:/]+)(?::[^:/]+)?(?:\/|$)/.exec(reference)?.groups?.["name"] ?? reference;

/** The last part of the ARN of a queue. */
export const queueNameOf = (arn: string): string => arn.slice(arn.lastIndexOf(":") + 1);

const maxNameLength = 63;

/**
 * A physical name for a resource that the template leaves unnamed: the same for every synthesis, lower case, and
 * within the strictest of the services' rules (buckets: 63 characters). A logical id ends with a hash, so its end
 * distinguishes two long ones.
 */
const derivedName = (logicalId: string): string => {
  const name = logicalId.toLowerCase();
  if (name.length <= maxNameLength) return name;
  return `${name.slice(0, maxNameLength - 8)}${name.slice(-8)}`;
};

/** Returns a property of a resource as text, its own references resolved. */
type PropertyReader = (stack: Stack, logicalId: string, key: string) => string;

/** Physical names and addresses of the resources in an assembly: what `Ref` and `Fn::GetAtt` evaluate to. */
export class References {
  readonly #addresses: LocalAddresses;
  readonly #property: PropertyReader;
  /** Logical ids are unique in a stack only; the stack's name distinguishes those in several. */
  readonly #shared = new Set<string>();

  constructor(stacks: readonly Stack[], addresses: LocalAddresses, property: PropertyReader) {
    this.#addresses = addresses;
    this.#property = property;
    const seen = new Set<string>();
    for (const id of stacks.flatMap(({ template }) => Object.keys(template.Resources))) {
      if (seen.has(id)) this.#shared.add(id);
      seen.add(id);
    }
  }

  /** The physical name: the explicit one, else one derived from the logical id. */
  name(stack: Stack, logicalId: string): string {
    const properties = stack.template.Resources[logicalId]?.Properties ?? {};
    const nameProperty = this.#kind(stack, logicalId)?.nameProperty;
    if (nameProperty !== undefined && properties[nameProperty] !== undefined) {
      return this.#property(stack, logicalId, nameProperty);
    }
    const derived = derivedName(this.#shared.has(logicalId) ? `${stack.name}-${logicalId}` : logicalId);
    // SQS demands the suffix of every FIFO queue's name.
    return properties["FifoQueue"] === true ? `${derived}.fifo` : derived;
  }

  /** The ARN; the name for resources that have none. */
  arn(stack: Stack, logicalId: string): string {
    const name = this.name(stack, logicalId);
    return this.#kind(stack, logicalId)?.arn?.(name) ?? name;
  }

  /** The value of `Ref`, or undefined when the resource has no local meaning. */
  ref(stack: Stack, logicalId: string): string | undefined {
    const kind = this.#kind(stack, logicalId);
    if (kind?.ref === undefined) return kind && this.name(stack, logicalId);
    return kind.ref(this.#identify(stack, logicalId));
  }

  /** The value of `Fn::GetAtt`, or undefined when the attribute has no local meaning. */
  attribute(stack: Stack, logicalId: string, attribute: string): string | undefined {
    return this.#kind(stack, logicalId)?.attributes?.[attribute]?.(this.#identify(stack, logicalId));
  }

  #kind(stack: Stack, logicalId: string): ResourceKind | undefined {
    return resourceKinds[stack.template.Resources[logicalId]?.Type ?? ""];
  }

  #identify(stack: Stack, logicalId: string) {
    return {
      name: this.name(stack, logicalId),
      arn: this.arn(stack, logicalId),
      addresses: this.#addresses,
      property: (key: string) => this.#property(stack, logicalId, key),
    };
  }
}
