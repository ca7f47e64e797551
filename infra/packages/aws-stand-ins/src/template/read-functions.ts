import * as z from "zod";
import type { LocalFunction } from "./local-model.ts";
import type { ResolvedAssembly, ResourceView } from "./resolved-assembly.ts";
import { TemplateError } from "./template-error.ts";

const scalarText = z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value));

// Absent values are Lambda's own defaults.
const functionSchema = z.object({
  Code: z.object({ S3Key: z.string() }),
  Handler: z.string(),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  Environment: z.object({ Variables: z.record(z.string(), scalarText).default({}) }).optional(),
});

/** The functions of an assembly; what serves a request asks for them by name. */
export class FunctionCatalogue {
  readonly functions: readonly LocalFunction[];
  readonly #unreadable = new Map<string, TemplateError>();

  constructor(assembly: ResolvedAssembly) {
    this.functions = assembly.resources("AWS::Lambda::Function").flatMap((resource) => {
      try {
        return [readFunction(resource, assembly.assetDirectories)];
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        this.#unreadable.set(resource.name, error);
        return [];
      }
    });
  }

  /**
   * The function that another resource sends requests to.
   *
   * @throws TemplateError when it cannot be run here; a function that nothing served depends on may be left unread.
   */
  require(name: string, user: ResourceView): string {
    const unreadable = this.#unreadable.get(name);
    if (unreadable !== undefined) throw unreadable;
    if (this.functions.some((candidate) => candidate.name === name)) return name;
    throw user.error(`calls the function ${name}, which is not in the assembly`);
  }
}

const readFunction = (
  resource: ResourceView,
  assetDirectories: ReadonlyMap<string, string>,
): LocalFunction => {
  const { Code, Handler, Timeout, MemorySize, Environment } = resource.read(functionSchema);
  const assetDirectory = assetDirectories.get(Code.S3Key);
  if (assetDirectory === undefined) throw resource.error("has code that is not a directory of the assembly");
  return {
    logicalId: resource.logicalId,
    name: resource.name,
    arn: resource.arn,
    assetDirectory,
    handler: Handler,
    timeoutSeconds: Timeout,
    memoryMegabytes: MemorySize,
    environment: Environment?.Variables ?? {},
  };
};
