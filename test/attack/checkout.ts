import { resolve } from "node:path";
import { type RunningCommand, runCommand, runService } from "../support/run-service.ts";
import { type RunningBuild, runBuild } from "../verify/upgrade/run-build.ts";

const heapOfLambda = new URL("./heap-of-lambda.ts", import.meta.url).href;

let checkout: string | undefined;

/** From now on all services that are attacked run from the folder of another release, with its packages. */
export const attackCheckout = (folder: string): void => {
  checkout = resolve(folder);
};

/** Starts a service that is attacked. Its functions have the heap that Lambda would give them, also of a release that does not. */
export const startService = async (
  variables: Readonly<Record<string, string>> & { readonly DATA_DIR: string },
): Promise<RunningBuild> =>
  checkout === undefined ? runService(variables) : runBuild(checkout, variables, [heapOfLambda]);

/** Runs a command of the release that is attacked. */
export const operateCheckout = (
  file: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): RunningCommand => runCommand(file, args, variables, checkout);
