import { RemovalPolicy } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import type { VariableShape } from "../../shared/platform/config/variables.ts";
import { type EnvironmentBindings, ServiceFunction } from "../constructs/service-function.ts";
import type { StageSettings } from "../stages.ts";
import type { DataStack } from "./data-stack.ts";

export interface FunctionGroupProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  /** The folder that holds a bundle for each function, under the function's name. */
  readonly bundles: string;
  /** Where callers reach the service; no slash at the end. */
  readonly publicBaseUrl: string;
}

/** Functions of a stage that stand in one stack, made in one way. */
export abstract class FunctionGroup extends Construct {
  abstract readonly all: readonly ServiceFunction[];

  protected readonly props: FunctionGroupProps;

  constructor(scope: Construct, id: string, props: FunctionGroupProps) {
    super(scope, id);
    this.props = props;
  }

  protected add<Environment extends VariableShape>(
    definition: FunctionDefinition<Environment>,
    environment: EnvironmentBindings<NoInfer<Environment>>,
  ): ServiceFunction<Environment> {
    const { stage, bundles } = this.props;
    return new ServiceFunction(this, pascalCase(definition.name), {
      definition,
      environment,
      bundles,
      metricsNamespace: stage.prefix,
      reservedConcurrency: stage.reservedConcurrency[definition.name],
      logRetention: stage.logRetention,
      logRemoval: stage.removal === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}

/** A feature's name as constructs and outputs are named. */
export const pascalCase = (kebabCase: string): string =>
  kebabCase.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
