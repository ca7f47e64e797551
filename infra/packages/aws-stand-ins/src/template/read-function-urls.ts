import * as z from "zod";
import type { FunctionUrl } from "./local-model.ts";
import type { FunctionCatalogue } from "./read-functions.ts";
import type { ResolvedAssembly } from "./resolved-assembly.ts";
import { functionNameOf } from "./resource-kinds.ts";

const texts = z.array(z.string()).default([]);

const functionUrlSchema = z.object({
  // AWS_IAM needs signed requests, which would be let through unchecked here.
  AuthType: z.literal("NONE"),
  InvokeMode: z.enum(["BUFFERED", "RESPONSE_STREAM"]).default("BUFFERED"),
  TargetFunctionArn: z.string(),
  Cors: z
    .object({
      AllowOrigins: texts,
      AllowMethods: texts,
      AllowHeaders: texts,
      ExposeHeaders: texts,
      AllowCredentials: z.boolean().default(false),
      MaxAge: z.number().optional(),
    })
    .optional(),
});

/** The function URLs of an assembly. */
export const readFunctionUrls = (assembly: ResolvedAssembly, functions: FunctionCatalogue): FunctionUrl[] =>
  assembly.resources("AWS::Lambda::Url").map((resource) => {
    const { InvokeMode, TargetFunctionArn, Cors } = resource.read(functionUrlSchema);
    return {
      logicalId: resource.logicalId,
      functionName: functions.require(functionNameOf(TargetFunctionArn), resource),
      invokeMode: InvokeMode,
      cors: Cors && {
        allowOrigins: Cors.AllowOrigins,
        allowMethods: Cors.AllowMethods,
        allowHeaders: Cors.AllowHeaders,
        exposeHeaders: Cors.ExposeHeaders,
        allowCredentials: Cors.AllowCredentials,
        maxAgeSeconds: Cors.MaxAge,
      },
    };
  });
