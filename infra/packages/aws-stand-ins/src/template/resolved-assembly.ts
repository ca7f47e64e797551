import type * as z from "zod";
import type { Assembly, Stack } from "./cloud-assembly.ts";
import { Evaluator } from "./evaluator.ts";
import type { EvaluationContext } from "./intrinsic-functions.ts";
import { References } from "./references.ts";
import type { LocalAddresses } from "./resource-kinds.ts";
import type { TemplateError } from "./template-error.ts";

/** One resource, as the readers of the model see it. */
export interface ResourceView {
  readonly logicalId: string;
  readonly type: string;
  readonly name: string;
  readonly arn: string;
  /** What `Ref` to this resource gives. */
  readonly ref: string | undefined;
  /** The properties that the schema names; the others may depend on anything. */
  read<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>): z.output<z.ZodObject<Shape>>;
  /** All properties, without what has no local meaning. */
  readKnown(): Readonly<Record<string, unknown>>;
  error(problem: string): TemplateError;
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

  /** The resources of some types, in the order of the templates, without those whose condition does not hold. */
  resources(...types: readonly string[]): readonly ResourceView[] {
    return this.#context.stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources)
        .filter(([, { Type }]) => types.includes(Type))
        .filter(
          ([logicalId, { Condition }]) =>
            Condition === undefined || this.#evaluator(stack, logicalId).condition(Condition),
        )
        .map(([logicalId]) => this.#view(stack, logicalId)),
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
      ref: references.ref(stack, logicalId),
      read: (schema) => {
        const wanted = Object.keys(schema.shape).filter((key) => key in properties);
        return evaluator.parse(schema, Object.fromEntries(wanted.map((key) => [key, properties[key]])));
      },
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
