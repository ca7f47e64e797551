import { localRegion } from "../iam/local-account.ts";
import { readCloudAssembly } from "./cloud-assembly.ts";
import type { LocalModel, LocalResource } from "./local-model.ts";
import {
  FunctionCatalogue,
  readEventSources,
  readFunctionUrls,
  readLogSubscriptions,
} from "./read-functions.ts";
import { readRestApi } from "./read-rest-api.ts";
import { RoleCatalogue } from "./read-roles.ts";
import type { LocalAddresses } from "./references.ts";
import { ResolvedAssembly } from "./resolved-assembly.ts";

export type { LocalAddresses } from "./references.ts";

const awsAddresses: LocalAddresses = {
  queues: `https://sqs.${localRegion}.amazonaws.com`,
  functionUrl: (functionName) => `https://${functionName}.lambda-url.${localRegion}.on.aws/`,
};

const readResources = (assembly: ResolvedAssembly, ...types: string[]): LocalResource[] =>
  assembly.resources(...types).map((resource) => ({
    logicalId: resource.logicalId,
    name: resource.name,
    arn: resource.arn,
    type: resource.type,
    properties: resource.readKnown(),
  }));

/**
 * Reads a synthesised application as it is served on one machine: every stack of the assembly together, references
 * resolved to local names.
 *
 *
 * @param assembly the output directory of a synthesis, or the assembly that a synthesis returned.
 * @param addresses where queues and function URLs are reached; by default addresses in AWS's format.
 * @throws TemplateError naming the resource, when a served resource depends on something without a local meaning.
 */
export const readAssembly = (
  assembly: string | { readonly directory: string },
  addresses: LocalAddresses = awsAddresses,
): LocalModel => {
  const directory = typeof assembly === "string" ? assembly : assembly.directory;
  const resolved = new ResolvedAssembly(readCloudAssembly(directory), addresses);
  const roles = new RoleCatalogue(resolved);
  const functions = new FunctionCatalogue(resolved, roles);
  return {
    functions: functions.functions,
    roles: roles.roles,
    restApi: readRestApi(resolved, functions),
    functionUrls: readFunctionUrls(resolved, functions),
    eventSources: readEventSources(resolved, functions),
    logSubscriptions: readLogSubscriptions(resolved, functions),
    tables: readResources(resolved, "AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"),
    buckets: readResources(resolved, "AWS::S3::Bucket"),
    queues: readResources(resolved, "AWS::SQS::Queue"),
    secrets: readResources(resolved, "AWS::SecretsManager::Secret"),
  };
};
