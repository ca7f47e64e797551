import { parseEnv } from "node:util";
import type { TestProject } from "vitest/node";
import * as z from "zod";
import { deployedLimits } from "../../infra/commands/local-target.ts";
import { setup as buildFunctions } from "../support/build-functions.ts";
import { runCommand } from "../support/run-service.ts";
import { provideService, setup as shareService } from "../support/start-service.ts";

const accountVariables = z.object({
  SMOKE_USERNAME: z.string().min(1),
  SMOKE_PASSWORD: z.string().min(1),
  SMOKE_KEY: z.string().min(1),
});

declare module "vitest" {
  interface ProvidedContext {
    /** The account that an operator's command has created. */
    smokeAccount: z.output<typeof accountVariables>;
  }
}

const createAccount = async (dataDirectory: string) => {
  const command = runCommand("infra/commands/account.ts", ["smoke", "--smoke"], { DATA_DIR: dataDirectory });
  if ((await command.ended) !== 0) throw new Error(command.output());
  return accountVariables.parse(parseEnv(command.output()));
};

const givenAccount = () => {
  const given = accountVariables.safeParse(process.env);
  if (given.success) return given.data;
  throw new Error(
    "BASE_URL names a stage, so set SMOKE_USERNAME, SMOKE_PASSWORD and SMOKE_KEY too: npm run account -- <username> --smoke prints them.",
  );
};

/**
 * Takes the stage that `BASE_URL` names with the account in `SMOKE_…`, or that of the other projects of this run; alone it starts the
 * local one, at the limits of a deployment.
 */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  if (process.env["BASE_URL"]) {
    project.provide("smokeAccount", givenAccount());
    await provideService(project, {});
    return async () => undefined;
  }
  await buildFunctions();
  const shared = await globalThis.serviceUnderTest;
  if (shared) await shareService(project);
  const { dataDirectory, stop } = shared ?? (await provideService(project, deployedLimits));
  project.provide("smokeAccount", await createAccount(dataDirectory));
  return shared ? async () => undefined : stop;
};
