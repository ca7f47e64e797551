import type { VariableShape } from "../platform/config/variables.ts";
import type { Operation } from "./operation.ts";

export const service = { name: "Language AI Service", apiVersion: "2.1" } as const;

/** A Lambda function as its feature declares it: what it serves and what it needs. */
export interface FunctionDefinition<Environment extends VariableShape = VariableShape> {
  /** The feature's folder under `functions/`; also the name of its bundle. */
  readonly name: string;
  readonly description: string;
  /** The routes it serves; none for functions that an authorizer or a queue calls. */
  readonly operations: readonly Operation[];
  /**
   * The paths of its pages, in API Gateway's notation: `/console`, `/console/{proxy+}`. Every method of such a path
   * reaches the function without an authorizer, and the function reports missing pages.
   */
  readonly pages?: readonly `/${string}`[];
  /** The variables it reads, all of which its construct must set. */
  readonly environment: Environment;
  readonly memoryMegabytes: number;
  readonly timeoutSeconds: number;
  /** `stream` when responses may take longer than API Gateway's 29 seconds or leave piece by piece. */
  readonly transfer: "buffered" | "stream";
  /** Whether it also has a function URL; it then checks bearer tokens itself. */
  readonly functionUrl?: boolean;
  /** `false` when no one reads its traces: X-Ray records the first invocation of each second, which costs more than the function. */
  readonly isTraced?: false;
}

/** How much of a function's time is reserved to clean up and respond: when its time ends, Lambda sends no response. */
const reservedSeconds = 10;

/** How long a function may work on a request before it gives up, in milliseconds. */
export const workingMilliseconds = ({ timeoutSeconds }: Pick<FunctionDefinition, "timeoutSeconds">): number =>
  (timeoutSeconds - reservedSeconds) * 1_000;

/** Declares a function. CDK, the local gateway and the OpenAPI document read the result. */
export const defineFunction = <Environment extends VariableShape>(
  definition: FunctionDefinition<Environment>,
): FunctionDefinition<Environment> => definition;
