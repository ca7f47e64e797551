import { App } from "aws-cdk-lib";
import * as z from "zod";
import { buildFunctions } from "./build.ts";
import { addServiceStacks, warnOfSilence } from "./service.ts";
import { deployedStage, exampleName, type Stage } from "./stages.ts";

/** Prints a problem with the stage's settings as a sentence, without a stack trace. */
const stageOrExit = (name: string): Stage => {
  try {
    return deployedStage(name, process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
};

// The CDK command's entry: `cdk deploy --all -c stage=prod`.
const app = new App();
const chosen = z.string().optional().parse(app.node.tryGetContext("stage"));
if (chosen === undefined) {
  process.stderr.write(
    `These are the stacks of the stage "${exampleName}", which cannot be deployed. To choose a stage, add -c stage=dev.\n`,
  );
}
const stage = stageOrExit(chosen ?? exampleName);
await buildFunctions({ catalogue: stage.catalogue });
addServiceStacks(app, { stage });
if (chosen !== undefined) warnOfSilence(app, stage);
app.synth();
