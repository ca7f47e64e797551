import { Annotations, type App, CfnRule, type Environment, Fn, Stack, Tags } from "aws-cdk-lib";
import { builtFunctionsDirectory } from "./build.ts";
import { ApiStack } from "./stacks/api-stack.ts";
import { BudgetStack } from "./stacks/budget-stack.ts";
import { DataStack } from "./stacks/data-stack.ts";
import { EdgeStack } from "./stacks/edge-stack.ts";
import { MonitoringStack } from "./stacks/monitoring-stack.ts";
import { WorkersStack } from "./stacks/workers-stack.ts";
import { exampleName, type Stage, silenceOf } from "./stages.ts";

export interface ServiceProps {
  readonly stage: Stage;
  /** The folder of the bundled functions; by default the one that a build writes. */
  readonly bundles?: string;
  /** Account and region; by default those of the CDK command. */
  readonly env?: Environment;
}

/** CloudFormation checks a rule before it creates anything. */
const refuseDeployment = (app: App): void => {
  for (const stack of app.node.children.filter((child) => Stack.isStack(child))) {
    new CfnRule(stack, "CannotBeDeployed", {
      assertions: [
        {
          assert: Fn.conditionEquals(exampleName, "your own stage"),
          assertDescription:
            'The stage "example" cannot be deployed. Choose your own stage, such as: npx cdk deploy --all -c stage=dev',
        },
      ],
    });
  }
};

/** Shows a warning with each command of the CDK while the alarms of a stage reach no one. */
export const warnOfSilence = (app: App, stage: Stage): void => {
  const warning = silenceOf(stage);
  if (!warning) return;
  Annotations.of(app.node.findChild(`${stage.prefix}-Monitoring`)).addWarningV2(
    "language-ai:silent",
    warning,
  );
};

/** Adds the service's stacks to a CDK app. Their tags group the costs and resources of an account. */
export const addServiceStacks = (
  app: App,
  { stage, bundles = builtFunctionsDirectory, ...target }: ServiceProps,
) => {
  const { prefix, settings } = stage;
  const describe = (content: string) => ({ ...target, description: `Language AI Service: ${content}` });
  const data = new DataStack(app, `${prefix}-Data`, {
    ...describe("accounts, audio, queues and secrets"),
    stage,
  });
  const api = new ApiStack(app, `${prefix}-Api`, {
    ...describe("API and the functions behind it"),
    stage,
    data,
    bundles,
  });
  const workers = new WorkersStack(app, `${prefix}-Workers`, {
    ...describe("functions of queues, schedules and events"),
    stage,
    data,
    bundles,
    publicBaseUrl: api.publicBaseUrl,
  });
  new MonitoringStack(app, `${prefix}-Monitoring`, {
    ...describe("alarms and dashboard"),
    stage,
    data,
    api,
    workers,
  });
  Tags.of(app).add("service", "language-ai");
  Tags.of(app).add("stage", stage.name);
  const global = { env: { ...target.env, region: "us-east-1" } };
  if (settings.FIREWALL === "on" && settings.STREAM_DOMAIN_NAME) {
    new EdgeStack(app, `${prefix}-Edge`, { ...describe("firewall of the streams"), ...global, settings });
  }
  const { MONTHLY_BUDGET_USD: dollars, ALARM_EMAIL: address } = settings;
  if (dollars > 0 && address) {
    const budget = { stageName: stage.name, dollars, address };
    new BudgetStack(app, `${prefix}-Budget`, { ...describe("budget"), ...global, ...budget });
  }
  if (stage.name === exampleName) refuseDeployment(app);
};
