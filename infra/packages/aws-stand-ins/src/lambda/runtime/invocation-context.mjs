/**
 *
 * @typedef {object} InvocationContext the second argument of a handler
 * @property {string} awsRequestId
 * @property {string} invokedFunctionArn
 * @property {string | undefined} xRayTraceId
 * @property {string | undefined} functionName
 * @property {string | undefined} functionVersion
 * @property {string | undefined} memoryLimitInMB
 * @property {string | undefined} logGroupName
 * @property {string | undefined} logStreamName
 * @property {undefined} clientContext only mobile SDKs send one
 * @property {undefined} identity only mobile SDKs send one
 * @property {undefined} tenantId only functions with tenant isolation have one
 * @property {() => number} getRemainingTimeInMillis
 */

/**
 * Builds the context of an invocation, with its properties on AWS from Node.js 24 on.
 *
 *
 * @param {import("node:http").IncomingHttpHeaders} headers the headers of the Runtime API's response to `next`
 * @returns {InvocationContext}
 */
export const createContext = (headers) => {
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  const xRayTraceId = optional(headers["lambda-runtime-trace-id"]);
  return {
    clientContext: undefined,
    identity: undefined,
    tenantId: undefined,
    invokedFunctionArn: String(headers["lambda-runtime-invoked-function-arn"]),
    awsRequestId: String(headers["lambda-runtime-aws-request-id"]),
    xRayTraceId,
    getRemainingTimeInMillis: () => deadline - Date.now(),
    functionName: process.env["AWS_LAMBDA_FUNCTION_NAME"],
    functionVersion: process.env["AWS_LAMBDA_FUNCTION_VERSION"],
    memoryLimitInMB: process.env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"],
    logGroupName: process.env["AWS_LAMBDA_LOG_GROUP_NAME"],
    logStreamName: process.env["AWS_LAMBDA_LOG_STREAM_NAME"],
  };
};

/** @param {string | string[] | undefined} header */
const optional = (header) => (typeof header === "string" ? header : undefined);
