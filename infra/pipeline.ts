import { App } from "aws-cdk-lib";
import * as z from "zod";
import { PipelineStack } from "./stacks/pipeline-stack.ts";

// Deployed once for an account: `npx cdk deploy --app "node infra/pipeline.ts" -c repository=owner/name`.
const app = new App();
const repository = z
  .string({ error: "Name the repository: -c repository=owner/name." })
  .regex(/^[\w.-]+\/[\w.-]+$/)
  .parse(app.node.tryGetContext("repository"));
new PipelineStack(app, "LanguageAi-Pipeline", {
  repository,
  environments: ["dev", "prod"],
  description: "Language AI Service: role for the deployments of its repository",
});
app.synth();
