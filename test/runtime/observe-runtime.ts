import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { type Observation, RecordingRuntimeApi } from "./recording-runtime-api.ts";
import type { Scenario } from "./scenarios.ts";

/** How long a runtime may take before it counts as hanging, also on a busy machine; two are started at a time. */
const PATIENCE_MILLISECONDS = 15_000;

/** What a runtime did: everything it sent, and what it did after that. */
export interface RuntimeBehaviour {
  readonly sent: readonly Observation[];
  readonly outcome: string;
}

/**
 * Runs one scenario in a process of its own.
 *
 * @param program the arguments of Node.js
 * @param taskRoot the folder with the handlers
 */
export async function observeRuntime(
  program: readonly string[],
  taskRoot: string,
  scenario: Scenario,
): Promise<RuntimeBehaviour> {
  const runtimeApi = new RecordingRuntimeApi(scenario.events);
  const child = spawn(process.execPath, program, {
    cwd: taskRoot,
    env: {
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      AWS_LAMBDA_FUNCTION_NAME: "compared",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "128",
      AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/compared",
      AWS_LAMBDA_LOG_STREAM_NAME: "local",
      AWS_LAMBDA_RUNTIME_API: await runtimeApi.listen(),
      LAMBDA_TASK_ROOT: taskRoot,
      _HANDLER: scenario.handler,
    },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const exited = once(child, "exit");
  const outcome = await Promise.race([
    exited.then(([code]) => `exits with ${code}`),
    runtimeApi.exhausted.then(() => "requests more"),
    pause(PATIENCE_MILLISECONDS, "hangs", { ref: false }),
  ]);
  child.kill("SIGKILL");
  await exited;
  runtimeApi.close();
  return { sent: await runtimeApi.received(), outcome };
}
