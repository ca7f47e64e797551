import { App } from "aws-cdk-lib";
import * as z from "zod";
import { buildFunctions } from "./build.ts";
import { addServiceStacks } from "./service.ts";
import { deployedStage } from "./stages.ts";

// The CDK command's entry: `cdk deploy --all -c stage=prod`.
await buildFunctions();
const app = new App();
const stageName = z.string().parse(app.node.tryGetContext("stage") ?? "dev");
addServiceStacks(app, { stage: deployedStage(stageName, process.env) });
app.synth();
