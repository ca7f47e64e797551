/** The only entry of this package; README.md explains it. Other files must not be imported from outside. */

export { openDatabaseFile } from "./database-file.ts";
export { type DynamoDbServer, startDynamoDb } from "./dynamodb/dynamodb-server.ts";
export { ensureTable } from "./dynamodb/ensure-table.ts";
export type { LocalResponse, LocalRoutes } from "./gateway/local-routes.ts";
export { Authority, type Role } from "./iam/authority.ts";
export { localAccountId, localCredentials, localRegion } from "./iam/local-account.ts";
export {
  type AccessRequest,
  compilePolicy,
  decide,
  type StatementSource,
} from "./iam/policy.ts";
export { type FunctionConfiguration, heapOptions } from "./lambda/function-configuration.ts";
export type { InvocationResult } from "./lambda/invocation.ts";
export { defaultMaxConcurrency, LambdaService } from "./lambda/lambda-service.ts";
export { isFromAnotherSite, isFromThisMachine } from "./loopback.ts";
export { type S3Server, startS3 } from "./s3/s3-server.ts";
export { type SecretsServer, startSecrets } from "./secrets/secrets-server.ts";
export { type LocalApplication, type ServeOptions, serveAssembly } from "./serve-assembly.ts";
export { type SentMail, type SesServer, startSes } from "./ses/ses-server.ts";
export { type SqsServer, startSqs } from "./sqs/sqs-server.ts";
export {
  type ServiceEndpoints,
  type StandIns,
  type StandInsOptions,
  sdkVariables,
  startStandIns,
} from "./stand-ins.ts";
export type { LocalFunction, LocalModel, LocalResource } from "./template/local-model.ts";
export { readAssembly } from "./template/read-assembly.ts";
