import type { Stack } from "./cloud-assembly.ts";
import { derivedName, type LocalAddresses, type ResourceKind, resourceKinds } from "./resource-kinds.ts";

/** Gives a property of a resource as text, its own references resolved. */
export type PropertyReader = (stack: Stack, logicalId: string, key: string) => string;

/** Physical names and addresses of the resources in an assembly: what `Ref` and `Fn::GetAtt` evaluate to. */
export class References {
  readonly #addresses: LocalAddresses;
  readonly #property: PropertyReader;
  /** Logical ids are unique in a stack only; one that stands in several is told apart by its stack's name. */
  readonly #shared = new Set<string>();

  constructor(stacks: readonly Stack[], addresses: LocalAddresses, property: PropertyReader) {
    this.#addresses = addresses;
    this.#property = property;
    const seen = new Set<string>();
    for (const id of stacks.flatMap(({ template }) => Object.keys(template.Resources))) {
      if (seen.has(id)) this.#shared.add(id);
      seen.add(id);
    }
  }

  /** The physical name: the explicit one, else one derived from the logical id. */
  name(stack: Stack, logicalId: string): string {
    const properties = stack.template.Resources[logicalId]?.Properties ?? {};
    const nameProperty = this.#kind(stack, logicalId)?.nameProperty;
    if (nameProperty !== undefined && properties[nameProperty] !== undefined) {
      return this.#property(stack, logicalId, nameProperty);
    }
    const derived = derivedName(this.#shared.has(logicalId) ? `${stack.name}-${logicalId}` : logicalId);
    // SQS demands the suffix of every FIFO queue's name.
    return properties["FifoQueue"] === true ? `${derived}.fifo` : derived;
  }

  /** The ARN; the name for resources that have none. */
  arn(stack: Stack, logicalId: string): string {
    const name = this.name(stack, logicalId);
    return this.#kind(stack, logicalId)?.arn?.(name) ?? name;
  }

  /** What `Ref` gives, or undefined when the resource has no local meaning. */
  ref(stack: Stack, logicalId: string): string | undefined {
    const kind = this.#kind(stack, logicalId);
    if (kind?.ref === undefined) return kind && this.name(stack, logicalId);
    return kind.ref(this.#identify(stack, logicalId));
  }

  /** What `Fn::GetAtt` gives, or undefined when the attribute has no local meaning. */
  attribute(stack: Stack, logicalId: string, attribute: string): string | undefined {
    return this.#kind(stack, logicalId)?.attributes?.[attribute]?.(this.#identify(stack, logicalId));
  }

  #kind(stack: Stack, logicalId: string): ResourceKind | undefined {
    return resourceKinds[stack.template.Resources[logicalId]?.Type ?? ""];
  }

  #identify(stack: Stack, logicalId: string) {
    return {
      name: this.name(stack, logicalId),
      arn: this.arn(stack, logicalId),
      addresses: this.#addresses,
      property: (key: string) => this.#property(stack, logicalId, key),
    };
  }
}
