import { devNull } from "node:os";
import { localAccountId, localRegion } from "../iam/local-account.ts";

/** What the service must know about a function; its CloudFormation resource contains all of it. */
export interface FunctionConfiguration {
  readonly name: string;
  /** Absolute path of the folder that holds the code, such as `index.mjs`. */
  readonly directory: string;
  /** File and export, such as `index.handler`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly environment: Readonly<Record<string, string>>;
  /** A port of 127.0.0.1 on which a debugger can attach to its process, of which there is only one then. */
  readonly inspectorPort?: number;
}

/** What a process needs of the machine it runs on; nothing else of the developer's own environment gets in. */
const inherited = ["PATH", "SystemRoot", "TMPDIR", "TEMP"];

/** The name the function has for AWS. */
export const functionArn = (configuration: FunctionConfiguration): string =>
  `arn:aws:lambda:${localRegion}:${localAccountId}:function:${configuration.name}`;

/**
 * The environment variables of a function's process: those AWS reserves, and the function's own.
 *
 * @param runtimeApi where the process finds its Runtime API, `host:port/prefix`
 */
export const processEnvironment = (
  configuration: FunctionConfiguration,
  runtimeApi: string,
): Record<string, string> => ({
  ...inheritedVariables(),
  LANG: "en_US.UTF-8",
  TZ: ":UTC",
  AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
  AWS_REGION: localRegion,
  AWS_DEFAULT_REGION: localRegion,
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  // The SDK would otherwise read the developer's own profile, and could reach a real account with it.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  ...configuration.environment,
  AWS_LAMBDA_FUNCTION_NAME: configuration.name,
  AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(configuration.memoryMegabytes),
  AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${configuration.name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: "local",
  AWS_LAMBDA_RUNTIME_API: runtimeApi,
  LAMBDA_TASK_ROOT: configuration.directory,
  _HANDLER: configuration.handler,
});

const inheritedVariables = (): Record<string, string> => {
  const variables: Record<string, string> = {};
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) variables[name] = value;
  }
  return variables;
};

/**
 * The options with which Lambda starts Node.js: the old space has the memory without a tenth, and a semi-space a twentieth of it. A
 * process with more would do what ends a function on AWS.
 */
export const heapOptions = (memoryMegabytes: number): string[] => [
  `--max-old-space-size=${Math.floor(memoryMegabytes * 0.9)}`,
  `--max-semi-space-size=${Math.floor(memoryMegabytes * 0.05)}`,
];
