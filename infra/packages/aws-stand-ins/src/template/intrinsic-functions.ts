import * as z from "zod";
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from "../aws-protocol/local-account.ts";
import type { Stack } from "./cloud-assembly.ts";
import type { Evaluator } from "./evaluator.ts";
import { NO_VALUE } from "./no-value.ts";

type IntrinsicFunction = (argument: unknown, evaluator: Evaluator) => unknown;

const unevaluatedList = (argument: unknown, evaluator: Evaluator): readonly unknown[] => {
  if (Array.isArray(argument)) return argument;
  throw evaluator.error("has an intrinsic function whose arguments are not a list");
};

const pseudoParameters: Readonly<Record<string, ((stack: Stack) => unknown) | undefined>> = {
  "AWS::AccountId": () => LOCAL_ACCOUNT_ID,
  "AWS::NoValue": () => NO_VALUE,
  "AWS::Partition": () => "aws",
  "AWS::Region": () => LOCAL_REGION,
  "AWS::StackId": ({ name }) =>
    `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:stack/${name}/local`,
  "AWS::StackName": ({ name }) => name,
  "AWS::URLSuffix": () => "amazonaws.com",
};

// A parameter of an SSM type names the place of its value, and that place is in a real account.
const parameterValue = (name: string, evaluator: Evaluator): unknown => {
  const parameter = evaluator.stack.template.Parameters[name];
  if (parameter?.Default === undefined || parameter.Type.startsWith("AWS::SSM::")) {
    throw evaluator.error(`depends on the parameter ${name}, which has no value locally`);
  }
  return parameter.Default;
};

const withoutMeaning = (what: string, logicalId: string, evaluator: Evaluator): never => {
  const type = evaluator.stack.template.Resources[logicalId]?.Type ?? "which does not exist";
  throw evaluator.error(`depends on ${what} (${type}), which has no local meaning`);
};

const ref: IntrinsicFunction = (argument, evaluator) => {
  const name = evaluator.text(argument);
  const pseudoParameter = pseudoParameters[name];
  if (pseudoParameter !== undefined) return pseudoParameter(evaluator.stack);
  if (name in evaluator.stack.template.Parameters) return parameterValue(name, evaluator);
  const { references } = evaluator.surroundings;
  return references.ref(evaluator.stack, name) ?? withoutMeaning(`Ref to ${name}`, name, evaluator);
};

const getAttribute: IntrinsicFunction = (argument, evaluator) => {
  const path =
    typeof argument === "string" ? argument.split(".") : evaluator.list(argument).map((part) => String(part));
  const [logicalId = "", ...attribute] = path;
  const { references } = evaluator.surroundings;
  return (
    references.attribute(evaluator.stack, logicalId, attribute.join(".")) ??
    withoutMeaning(`Fn::GetAtt to ${path.join(".")}`, logicalId, evaluator)
  );
};

const substitution = z.tuple([z.string(), z.record(z.string(), z.unknown())]);

const substitute: IntrinsicFunction = (argument, evaluator) => {
  const [template, variables] = evaluator.parse(
    substitution,
    typeof argument === "string" ? [argument, {}] : argument,
  );
  const values = new Map(Object.entries(variables));
  return template.replace(/\$\{(?<literal>!?)(?<name>[^}]+)\}/g, (_match, literal: string, name: string) => {
    if (literal !== "") return `\${${name}}`;
    if (values.has(name)) return evaluator.text(values.get(name));
    return evaluator.text(name.includes(".") ? { "Fn::GetAtt": name } : { Ref: name });
  });
};

const select: IntrinsicFunction = (argument, evaluator) => {
  const [index, items] = evaluator.list(argument);
  const selected = evaluator.list(items)[Number(index)];
  if (selected === undefined) {
    throw evaluator.error("selects (Fn::Select) an item that its list does not have");
  }
  return selected;
};

// The branch that is not taken stays unevaluated: it may well be one that has no local meaning.
const choose: IntrinsicFunction = (argument, evaluator) => {
  const [condition, whenTrue, whenFalse] = unevaluatedList(argument, evaluator);
  return evaluator.resolve(evaluator.condition(String(condition)) ? whenTrue : whenFalse) ?? NO_VALUE;
};

const findInMap: IntrinsicFunction = (argument, evaluator) => {
  const [map, first, second] = evaluator.list(argument).map((key) => String(key));
  const found = evaluator.stack.template.Mappings[map ?? ""]?.[first ?? ""]?.[second ?? ""];
  if (found === undefined) {
    throw evaluator.error(`looks up (Fn::FindInMap) ${map}.${first}.${second}, which is not mapped`);
  }
  return found;
};

const importValue: IntrinsicFunction = (argument, evaluator) => {
  const wanted = evaluator.text(argument);
  for (const stack of evaluator.surroundings.stacks) {
    for (const { Export, Value } of Object.values(stack.template.Outputs)) {
      const exporter = evaluator.within(stack);
      if (Export !== undefined && exporter.resolve(Export.Name) === wanted) return exporter.resolve(Value);
    }
  }
  throw evaluator.error(`imports (Fn::ImportValue) ${wanted}, which no stack of the assembly exports`);
};

const stackOutput = z.object({ StackName: z.string(), OutputName: z.string() });

// What the CDK writes for a reference between stacks when it is weak (feature flag defaultCrossStackReferences).
const getStackOutput: IntrinsicFunction = (argument, evaluator) => {
  const { StackName: stackName, OutputName: outputName } = evaluator.parse(stackOutput, argument);
  const stack = evaluator.surroundings.stacks.find(({ name }) => name === stackName);
  const output = stack?.template.Outputs[outputName];
  if (stack === undefined || output === undefined) {
    throw evaluator.error(
      `reads (Fn::GetStackOutput) ${stackName}.${outputName}, which is not in the assembly`,
    );
  }
  return evaluator.within(stack).resolve(output.Value);
};

/** The intrinsic functions of CloudFormation that mean something on one machine, by the name templates call them by. */
export const intrinsicFunctions: Readonly<Record<string, IntrinsicFunction | undefined>> = {
  Ref: ref,
  "Fn::And": (argument, evaluator) =>
    unevaluatedList(argument, evaluator).every((item) => evaluator.truth(item)),
  "Fn::Equals": (argument, evaluator) => {
    const [left, right] = evaluator.list(argument);
    return String(left) === String(right);
  },
  "Fn::FindInMap": findInMap,
  "Fn::GetAtt": getAttribute,
  "Fn::GetStackOutput": getStackOutput,
  "Fn::If": choose,
  "Fn::ImportValue": importValue,
  "Fn::Join": (argument, evaluator) => {
    const [separator, items] = evaluator.list(argument);
    return evaluator
      .list(items)
      .map((item) => evaluator.text(item))
      .join(String(separator));
  },
  "Fn::Not": (argument, evaluator) => !evaluator.truth(unevaluatedList(argument, evaluator)[0]),
  "Fn::Or": (argument, evaluator) =>
    unevaluatedList(argument, evaluator).some((item) => evaluator.truth(item)),
  "Fn::Select": select,
  "Fn::Split": (argument, evaluator) => {
    const [separator, text] = evaluator.list(argument);
    return evaluator.text(text).split(String(separator));
  },
  "Fn::Sub": substitute,
};
