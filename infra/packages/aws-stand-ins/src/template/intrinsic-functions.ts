import * as z from "zod";
import { localAccountId, localRegion } from "../iam/local-account.ts";
import type { Stack } from "./cloud-assembly.ts";
import type { References } from "./references.ts";

/** The position of a value in an assembly; errors name it. */
export interface Site {
  readonly stackName: string;
  readonly logicalId: string;
}

/** Something that is served depends on a construct that has no local meaning. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";

  constructor(site: Site, problem: string) {
    super(`${site.logicalId} (stack ${site.stackName}) ${problem}.`);
  }
}

/** The value of `AWS::NoValue`: the property that holds it does not exist. */
export const noValue: unique symbol = Symbol("AWS::NoValue");

/** What evaluation can reach beyond the resource it is about. */
export interface EvaluationContext {
  readonly stacks: readonly Stack[];
  readonly references: References;
}

/** The callback of an intrinsic function: its caller evaluates its arguments. */
export interface Evaluation {
  readonly context: EvaluationContext;
  /** The stack in which names are looked up. */
  readonly stack: Stack;
  /** The same evaluation among the names of another stack, whose output it reads. */
  within(stack: Stack): Evaluation;
  /** @throws TemplateError when the value depends on something without a local meaning. */
  resolve(value: unknown): unknown;
  /** As {@link resolve}, for a value that must come out as text; numbers and booleans are written out. */
  text(value: unknown): string;
  /** As {@link resolve}, for a value that must come out as a list. */
  list(value: unknown): readonly unknown[];
  /** As {@link resolve}, for a value that must come out in a certain form. */
  parse<Output>(schema: z.ZodType<Output>, value: unknown): Output;
  /** Whether a condition of the stack holds. */
  condition(name: string): boolean;
  /** The truth of a condition's definition. */
  truth(definition: unknown): boolean;
  error(problem: string): TemplateError;
}

type IntrinsicFunction = (argument: unknown, evaluation: Evaluation) => unknown;

const unevaluatedList = (argument: unknown, evaluation: Evaluation): readonly unknown[] => {
  if (Array.isArray(argument)) return argument;
  throw evaluation.error("has an intrinsic function whose arguments are not a list");
};

const pseudoParameters: Readonly<Record<string, ((stack: Stack) => unknown) | undefined>> = {
  "AWS::AccountId": () => localAccountId,
  "AWS::NoValue": () => noValue,
  "AWS::Partition": () => "aws",
  "AWS::Region": () => localRegion,
  "AWS::StackId": ({ name }) => `arn:aws:cloudformation:${localRegion}:${localAccountId}:stack/${name}/local`,
  "AWS::StackName": ({ name }) => name,
  "AWS::URLSuffix": () => "amazonaws.com",
};

// A parameter of an SSM type names the location of its value, which is in a real account.
const parameterValue = (name: string, evaluation: Evaluation): unknown => {
  const parameter = evaluation.stack.template.Parameters[name];
  if (parameter?.Default === undefined || parameter.Type.startsWith("AWS::SSM::")) {
    throw evaluation.error(`depends on the parameter ${name}, which has no value locally`);
  }
  return parameter.Default;
};

const withoutMeaning = (what: string, logicalId: string, evaluation: Evaluation): never => {
  const type = evaluation.stack.template.Resources[logicalId]?.Type ?? "which does not exist";
  throw evaluation.error(`depends on ${what} (${type}), which has no local meaning`);
};

const ref: IntrinsicFunction = (argument, evaluation) => {
  const name = evaluation.text(argument);
  const pseudoParameter = pseudoParameters[name];
  if (pseudoParameter !== undefined) return pseudoParameter(evaluation.stack);
  if (name in evaluation.stack.template.Parameters) return parameterValue(name, evaluation);
  const { references } = evaluation.context;
  return references.ref(evaluation.stack, name) ?? withoutMeaning(`Ref to ${name}`, name, evaluation);
};

const getAttribute: IntrinsicFunction = (argument, evaluation) => {
  const path =
    typeof argument === "string"
      ? argument.split(".")
      : evaluation.list(argument).map((part) => String(part));
  const [logicalId = "", ...attribute] = path;
  const { references } = evaluation.context;
  return (
    references.attribute(evaluation.stack, logicalId, attribute.join(".")) ??
    withoutMeaning(`Fn::GetAtt to ${path.join(".")}`, logicalId, evaluation)
  );
};

const substitution = z.tuple([z.string(), z.record(z.string(), z.unknown())]);

const substitute: IntrinsicFunction = (argument, evaluation) => {
  const [template, variables] = evaluation.parse(
    substitution,
    typeof argument === "string" ? [argument, {}] : argument,
  );
  const values = new Map(Object.entries(variables));
  return template.replace(/\$\{(?<literal>!?)(?<name>[^}]+)\}/g, (_match, literal: string, name: string) => {
    if (literal !== "") return `\${${name}}`;
    if (values.has(name)) return evaluation.text(values.get(name));
    return evaluation.text(name.includes(".") ? { "Fn::GetAtt": name } : { Ref: name });
  });
};

const select: IntrinsicFunction = (argument, evaluation) => {
  const [index, items] = evaluation.list(argument);
  const selected = evaluation.list(items)[Number(index)];
  if (selected === undefined) {
    throw evaluation.error("selects (Fn::Select) an item that its list does not have");
  }
  return selected;
};

// The branch that is not taken stays unevaluated: it may well be one that has no local meaning.
const choose: IntrinsicFunction = (argument, evaluation) => {
  const [condition, whenTrue, whenFalse] = unevaluatedList(argument, evaluation);
  return evaluation.resolve(evaluation.condition(String(condition)) ? whenTrue : whenFalse) ?? noValue;
};

const findInMap: IntrinsicFunction = (argument, evaluation) => {
  const [map, first, second] = evaluation.list(argument).map((key) => String(key));
  const found = evaluation.stack.template.Mappings[map ?? ""]?.[first ?? ""]?.[second ?? ""];
  if (found === undefined) {
    throw evaluation.error(`looks up (Fn::FindInMap) ${map}.${first}.${second}, which is not mapped`);
  }
  return found;
};

const importValue: IntrinsicFunction = (argument, evaluation) => {
  const wanted = evaluation.text(argument);
  for (const stack of evaluation.context.stacks) {
    for (const { Export, Value } of Object.values(stack.template.Outputs)) {
      const exporter = evaluation.within(stack);
      if (Export !== undefined && exporter.resolve(Export.Name) === wanted) return exporter.resolve(Value);
    }
  }
  throw evaluation.error(`imports (Fn::ImportValue) ${wanted}, which no stack of the assembly exports`);
};

const stackOutput = z.object({ StackName: z.string(), OutputName: z.string() });

// What the CDK writes for a reference between stacks when it is weak (feature flag defaultCrossStackReferences).
const getStackOutput: IntrinsicFunction = (argument, evaluation) => {
  const { StackName: stackName, OutputName: outputName } = evaluation.parse(stackOutput, argument);
  const stack = evaluation.context.stacks.find(({ name }) => name === stackName);
  const output = stack?.template.Outputs[outputName];
  if (stack === undefined || output === undefined) {
    throw evaluation.error(
      `reads (Fn::GetStackOutput) ${stackName}.${outputName}, which is not in the assembly`,
    );
  }
  return evaluation.within(stack).resolve(output.Value);
};

/** The intrinsic functions of CloudFormation that mean something on one machine, by the name templates call them by. */
export const intrinsicFunctions: Readonly<Record<string, IntrinsicFunction | undefined>> = {
  Ref: ref,
  "Fn::And": (argument, evaluation) =>
    unevaluatedList(argument, evaluation).every((item) => evaluation.truth(item)),
  "Fn::Equals": (argument, evaluation) => {
    const [left, right] = evaluation.list(argument);
    return String(left) === String(right);
  },
  "Fn::FindInMap": findInMap,
  "Fn::GetAtt": getAttribute,
  "Fn::GetStackOutput": getStackOutput,
  "Fn::If": choose,
  "Fn::ImportValue": importValue,
  "Fn::Join": (argument, evaluation) => {
    const [separator, items] = evaluation.list(argument);
    return evaluation
      .list(items)
      .map((item) => evaluation.text(item))
      .join(String(separator));
  },
  "Fn::Not": (argument, evaluation) => !evaluation.truth(unevaluatedList(argument, evaluation)[0]),
  "Fn::Or": (argument, evaluation) =>
    unevaluatedList(argument, evaluation).some((item) => evaluation.truth(item)),
  "Fn::Select": select,
  "Fn::Split": (argument, evaluation) => {
    const [separator, text] = evaluation.list(argument);
    return evaluation.text(text).split(String(separator));
  },
  "Fn::Sub": substitute,
};
