import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalModel } from "../src/template/local-model.ts";
import { readAssembly } from "../src/template/read-assembly.ts";

export type Template = Record<string, Record<string, unknown>>;

/** A stage, and an API with this definition. */
export const apiWith = (definition: object, variables: Record<string, string> = {}) => ({
  Api: { Type: "AWS::ApiGateway::RestApi", Properties: { Body: { paths: {}, ...definition } } },
  Stage: { Type: "AWS::ApiGateway::Stage", Properties: { StageName: "v2", Variables: variables } },
});

/** A function whose code is the assembly's only asset. */
export const functionWith = (properties: object = {}) => ({
  Type: "AWS::Lambda::Function",
  Properties: { Code: { S3Key: "code.zip" }, Handler: "index.handler", ...properties },
});

export interface WrittenAssembly {
  readonly directory: string;
  readonly model: LocalModel;
  remove(): void;
}

/**
 * Writes templates the way a synthesis does, with an API in the first one unless it has one, and reads them.
 *
 * @param code the module of all functions, `index.mjs`; most tests run none.
 */
export const writeAssembly = (templates: readonly Template[], code = ""): WrittenAssembly => {
  const directory = mkdtempSync(join(tmpdir(), "assembly-"));
  const write = (file: string, content: object) =>
    writeFileSync(join(directory, file), JSON.stringify(content));
  const remove = () => rmSync(directory, { recursive: true });
  mkdirSync(join(directory, "code"));
  writeFileSync(join(directory, "code/index.mjs"), code);
  const artifacts: Record<string, object> = {
    assets: { type: "cdk:asset-manifest", properties: { file: "assets.json" } },
  };
  for (const [index, template] of templates.entries()) {
    const templateFile = `stack-${index}.template.json`;
    artifacts[`Stack${index}`] = { type: "aws:cloudformation:stack", properties: { templateFile } };
    write(templateFile, {
      ...template,
      Resources: { ...(index === 0 && apiWith({})), ...template["Resources"] },
    });
  }
  const source = { path: "code", packaging: "zip" };
  write("assets.json", { files: { code: { source, destinations: { here: { objectKey: "code.zip" } } } } });
  write("manifest.json", { artifacts });
  try {
    return { directory, model: readAssembly(directory), remove };
  } catch (error) {
    remove();
    throw error;
  }
};

/** The content of templates. */
export const readTemplates = (...templates: Template[]): LocalModel => {
  const { model, remove } = writeAssembly(templates);
  remove();
  return model;
};
