import { type App, type Environment, Tags } from "aws-cdk-lib";
import { builtFunctionsDirectory } from "./build.ts";
import { ApiStack } from "./stacks/api-stack.ts";
import { DataStack } from "./stacks/data-stack.ts";
import { EdgeStack } from "./stacks/edge-stack.ts";
import { MonitoringStack } from "./stacks/monitoring-stack.ts";
import { WorkersStack } from "./stacks/workers-stack.ts";
import type { Stage } from "./stages.ts";

export interface ServiceProps {
  readonly stage: Stage;
  /** The folder of the bundled functions; by default the one that a build writes. */
  readonly bundles?: string;
  /** Account and region; by default those of whoever deploys. */
  readonly env?: Environment;
}

/** Adds the service's stacks to a CDK app. */
export const addServiceStacks = (app: App, { stage, bundles, ...target }: ServiceProps) => {
  const { prefix, settings } = stage;
  const builtFunctions = bundles ?? builtFunctionsDirectory;
  const data = new DataStack(app, `${prefix}-Data`, {
    ...target,
    stage,
    description: "Language AI Service: accounts, audio, queues and secrets",
  });
  const api = new ApiStack(app, `${prefix}-Api`, {
    ...target,
    stage,
    data,
    bundles: builtFunctions,
    description: "Language AI Service: API and the functions behind it",
  });
  const workers = new WorkersStack(app, `${prefix}-Workers`, {
    ...target,
    stage,
    data,
    bundles: builtFunctions,
    publicBaseUrl: api.publicBaseUrl,
    description: "Language AI Service: functions of queues, schedules and events",
  });
  new MonitoringStack(app, `${prefix}-Monitoring`, {
    ...target,
    stage,
    data,
    api,
    workers,
    description: "Language AI Service: alarms and dashboard",
  });
  // By these, costs and resources of a stage are found among those of an account.
  Tags.of(app).add("service", "language-ai");
  Tags.of(app).add("stage", stage.name);
  if (settings.FIREWALL === "on" && settings.STREAM_DOMAIN_NAME) {
    new EdgeStack(app, `${prefix}-Edge`, {
      ...target,
      env: { ...target.env, region: "us-east-1" },
      settings,
      description: "Language AI Service: firewall of the streams",
    });
  }
};
