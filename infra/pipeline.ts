import { App } from "aws-cdk-lib";
import * as z from "zod";
import { PipelineStack, repositoryName } from "./stacks/pipeline-stack.ts";

// Deployed once for an account: infra/handbook/release.md has the command.
const app = new App();
const context = z.object({
  repository: repositoryName,
  environments: z
    .string({ error: "Name the environments that deploy to this account: -c environments=dev, or dev,prod." })
    .transform((names) => names.split(","))
    .pipe(
      z.array(
        z.string().regex(/^[a-z][a-z0-9]{0,15}$/, { error: "An environment must be named like a stage." }),
      ),
    ),
  provider: z.enum(["new", "existing"], { error: "The provider must be new or existing." }).default("new"),
});
const given = context.safeParse(
  Object.fromEntries(Object.keys(context.shape).map((name) => [name, app.node.tryGetContext(name)])),
);
if (!given.success) {
  process.stderr.write(`${given.error.issues.map(({ message }) => message).join("\n")}\n`);
  process.exit(1);
}
const { repository, environments, provider } = given.data;
new PipelineStack(app, "LanguageAi-Pipeline", {
  repository,
  environments,
  hasProvider: provider === "existing",
  description: "Language AI Service: roles for the workflows of its repository",
});
app.synth();
