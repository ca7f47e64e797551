import { Construct } from "constructs";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import type { VariableShape } from "../../shared/platform/config/variables.ts";
import type { Binding } from "../constructs/bindings.ts";
import { ServiceFunction } from "../constructs/service-function.ts";
import type { FunctionGroupProps } from "./common-bindings.ts";
import { type CommonVariable, commonBindings } from "./common-bindings.ts";

/**
 * A binding for each variable that is a function's own, and for no other.
 *
 * The empty environment is a case of its own because TypeScript accepts an object with any members as `{}`.
 */
export type OwnBindings<Environment extends VariableShape> =
  Exclude<keyof Environment, CommonVariable> extends never
    ? Readonly<Record<string, never>>
    : { readonly [Name in Exclude<keyof Environment, CommonVariable>]: Binding };

/** The functions of one stack. */
export abstract class FunctionGroup extends Construct {
  abstract readonly all: readonly ServiceFunction[];

  protected readonly props: FunctionGroupProps;

  constructor(scope: Construct, id: string, props: FunctionGroupProps) {
    super(scope, id);
    this.props = props;
  }

  /** Adds a function with its own bindings and the common ones that it declares. */
  protected add<Environment extends VariableShape>(
    definition: FunctionDefinition<Environment>,
    own: OwnBindings<NoInfer<Environment>>,
  ): ServiceFunction<Environment> {
    const { stage, bundles } = this.props;
    const common = Object.entries(commonBindings(this.props)).filter(
      ([name]) => name in definition.environment,
    );
    return new ServiceFunction(this, pascalCase(definition.name), {
      definition,
      environment: { ...own, ...Object.fromEntries(common) },
      bundles,
      stage,
    });
  }
}

/** A feature's name in the form of constructs and outputs. */
export const pascalCase = (kebabCase: string): string =>
  kebabCase.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
