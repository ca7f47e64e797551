import * as z from "zod";
import type { ResolvedAssembly } from "./resolved-assembly.ts";

const resourceSchema = z.object({ ParentId: z.string(), PathPart: z.string() });

/** The full path of every resource of the REST API, by what `Ref` to the resource gives. */
export const readResourcePaths = (assembly: ResolvedAssembly): ReadonlyMap<string, string> => {
  const parts = new Map(
    assembly
      .resources("AWS::ApiGateway::Resource")
      .map((resource) => [resource.name, resource.read(resourceSchema)] as const),
  );
  const pathOf = (id: string): string => {
    const part = parts.get(id);
    return part === undefined ? "" : `${pathOf(part.ParentId)}/${part.PathPart}`;
  };
  const paths = new Map([...parts.keys()].map((id) => [id, pathOf(id)]));
  for (const restApi of assembly.resources("AWS::ApiGateway::RestApi"))
    paths.set(`${restApi.name}/root`, "/");
  return paths;
};
