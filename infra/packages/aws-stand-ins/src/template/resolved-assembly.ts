import * as z from "zod";
import type { Assembly, Stack } from "./cloud-assembly.ts";
import {
  type Evaluation,
  type EvaluationContext,
  intrinsicFunctions,
  type Site,
  TemplateError,
} from "./intrinsic-functions.ts";
import { type LocalAddresses, References } from "./references.ts";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The name and the argument of an intrinsic function; undefined for any other value. */
const asIntrinsic = (value: unknown): [name: string, argument: unknown] | undefined => {
  if (!isRecord(value)) return undefined;
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return undefined;
  return entry[0] === "Ref" || entry[0].startsWith("Fn::") ? entry : undefined;
};

/** Evaluates what a template says about one of its resources. */
class Evaluator implements Evaluation {
  readonly context: EvaluationContext;
  readonly stack: Stack;
  readonly #site: Site;

  constructor(context: EvaluationContext, stack: Stack, site: Site) {
    this.context = context;
    this.stack = stack;
    this.#site = site;
  }

  within(stack: Stack): Evaluator {
    return new Evaluator(this.context, stack, this.#site);
  }

  resolve(value: unknown): unknown {
    const intrinsic = asIntrinsic(value);
    if (intrinsic !== undefined) return this.#call(...intrinsic);
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.resolve(item)]));
    }
    // Only CloudFormation can look into a secret at deployment; passed on, the function would read this very text.
    if (typeof value === "string" && value.includes("{{resolve:")) {
      throw this.error("depends on a dynamic reference ({{resolve:…}}), which is not evaluated locally");
    }
    return value;
  }

  /**
   * As {@link resolve}, but leaves out what has no local meaning instead of failing: for properties of which only some
   * concern a local service.
   */
  resolveKnown(value: unknown): unknown {
    try {
      return this.resolve(value);
    } catch (error) {
      if (!(error instanceof TemplateError) || asIntrinsic(value) !== undefined) return undefined;
      if (Array.isArray(value)) {
        return value.map((item) => this.resolveKnown(item)).filter((item) => item !== undefined);
      }
      if (!isRecord(value)) return undefined;
      const entries = Object.entries(value).map(([key, item]) => [key, this.resolveKnown(item)]);
      return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
    }
  }

  /** As {@link resolve}, but leaves out what has no local meaning in members of one name, at any depth. */
  resolveTolerating(name: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolveTolerating(name, item));
    if (!isRecord(value) || asIntrinsic(value) !== undefined) return this.resolve(value);
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      key === name ? this.resolveKnown(item) : this.resolveTolerating(name, item),
    ]);
    return Object.fromEntries(entries);
  }

  text(value: unknown): string {
    const resolved = this.resolve(value);
    if (typeof resolved === "string") return resolved;
    if (typeof resolved === "number" || typeof resolved === "boolean") return String(resolved);
    throw this.error("needs text where the template has something else");
  }

  list(value: unknown): readonly unknown[] {
    const resolved = this.resolve(value);
    if (Array.isArray(resolved)) return resolved;
    throw this.error("needs a list where the template has something else");
  }

  parse<Output>(schema: z.ZodType<Output>, value: unknown): Output {
    const parsed = schema.safeParse(this.resolve(value));
    if (parsed.success) return parsed.data;
    throw this.error(`is not of the form that is served locally: ${z.prettifyError(parsed.error)}`);
  }

  error(problem: string): TemplateError {
    return new TemplateError(this.#site, problem);
  }

  #call(name: string, argument: unknown): unknown {
    const evaluate = intrinsicFunctions[name];
    if (evaluate === undefined) throw this.error(`depends on ${name}, which is not evaluated locally`);
    return evaluate(argument, this);
  }
}

/** One resource, as the readers of the model see it. */
export interface ResourceView {
  readonly logicalId: string;
  readonly type: string;
  readonly name: string;
  readonly arn: string;
  /** The properties that the schema names; the others may depend on anything. */
  read<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>): z.output<z.ZodObject<Shape>>;
  /** One property, without what has no local meaning in its members of the other name. */
  readTolerating(property: string, name: string): unknown;
  /** All properties, without what has no local meaning. */
  readKnown(): Readonly<Record<string, unknown>>;
  readonly error: (problem: string) => TemplateError;
}

/** The resources of all stacks, with their references resolved to local names. */
export class ResolvedAssembly {
  readonly assetDirectories: ReadonlyMap<string, string>;
  readonly #context: EvaluationContext;

  constructor({ stacks, assetDirectories }: Assembly, addresses: LocalAddresses) {
    this.assetDirectories = assetDirectories;
    const references = new References(stacks, addresses, (stack, logicalId, key) =>
      this.#evaluator(stack, logicalId).text(stack.template.Resources[logicalId]?.Properties[key]),
    );
    this.#context = { stacks, references };
  }

  /** The resources of some types, in the order of the templates. @throws TemplateError when one has a condition */
  resources(...types: readonly string[]): readonly ResourceView[] {
    return this.#context.stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources)
        .filter(([, { Type }]) => types.includes(Type))
        .map(([logicalId, { Condition }]) => {
          const view = this.#view(stack, logicalId);
          if (Condition === undefined) return view;
          throw view.error(`depends on the condition ${Condition}, which is not evaluated locally`);
        }),
    );
  }

  #view(stack: Stack, logicalId: string): ResourceView {
    const evaluator = this.#evaluator(stack, logicalId);
    const { references } = this.#context;
    const { Type: type = "", Properties: properties = {} } = stack.template.Resources[logicalId] ?? {};
    return {
      logicalId,
      type,
      name: references.name(stack, logicalId),
      arn: references.arn(stack, logicalId),
      read: (schema) => {
        const wanted = Object.keys(schema.shape).filter((key) => key in properties);
        return evaluator.parse(schema, Object.fromEntries(wanted.map((key) => [key, properties[key]])));
      },
      readTolerating: (property, name) => evaluator.resolveTolerating(name, properties[property]),
      readKnown: () => {
        const known = Object.entries(properties).map(([key, value]) => [key, evaluator.resolveKnown(value)]);
        return Object.fromEntries(known.filter(([, value]) => value !== undefined));
      },
      error: (problem) => evaluator.error(problem),
    };
  }

  #evaluator(stack: Stack, logicalId: string): Evaluator {
    return new Evaluator(this.#context, stack, { stackName: stack.name, logicalId });
  }
}
