import { pythonValue, type SampleRequest } from "./code-samples.ts";

/** The code of a request for the packages of the OpenAI API. */
export interface OpenAiSamples {
  readonly node: string;
  readonly python: string;
}

/** The methods of the packages that send the requests of operations. */
const methods: Readonly<Record<string, string>> = {
  createV1ChatCompletion: "chat.completions.create",
  createResponse: "responses.create",
  listModels: "models.list",
  retrieveModel: "models.retrieve",
  createV1Speech: "audio.speech.create",
  createV1Transcription: "audio.transcriptions.create",
  createV1AudioTranslation: "audio.translations.create",
};

/** What a program reads of a response, in both languages; all of it where nothing is named. */
const read: Readonly<Record<string, string>> = {
  createV1ChatCompletion: ".choices[0].message.content",
  createResponse: ".output_text",
  createV1Transcription: ".text",
  createV1AudioTranslation: ".text",
};

/** The parameters that our operations add to those of the OpenAI API; Python's package refuses them elsewhere. */
const ownParameters: Readonly<Record<string, readonly string[]>> = {
  createV1Speech: ["language"],
  createV1AudioTranslation: ["language"],
};

const pathValue = ({ url }: SampleRequest): string => decodeURIComponent(url.split("/").at(-1) ?? "");

const nodeArguments = (id: string, request: SampleRequest): string => {
  const { body } = request;
  if (id === "retrieveModel") return JSON.stringify(pathValue(request));
  if (body?.kind === "json") return JSON.stringify(body.value, null, 2);
  if (body?.kind !== "files") return "";
  const fields = Object.entries(body.fields).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  const file = `  ${body.file.field}: createReadStream(${JSON.stringify(body.file.name)}),`;
  return ["{", file, ...fields, "}"].join("\n");
};

const node = (id: string, method: string, request: SampleRequest, baseUrl: string): string => {
  const file = typeof request.gives === "object" ? request.gives.file : undefined;
  const imports = [
    'import OpenAI from "openai";',
    ...(request.body?.kind === "files" ? ['import { createReadStream } from "node:fs";'] : []),
    ...(file === undefined ? [] : ['import { writeFile } from "node:fs/promises";']),
  ];
  const end =
    file === undefined
      ? `console.log(response${read[id] ?? ""});`
      : `await writeFile(${JSON.stringify(file)}, Buffer.from(await response.arrayBuffer()));`;
  return [
    ...imports,
    "",
    "const client = new OpenAI({",
    `  baseURL: ${JSON.stringify(`${baseUrl}/v1`)},`,
    "  apiKey: process.env.TOKEN,",
    "});",
    `const response = await client.${method}(${nodeArguments(id, request)});`,
    end,
  ].join("\n");
};

const keywords = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).map(([name, value]) => `    ${name}=${pythonValue(value, 4)},`);

const pythonArguments = (id: string, request: SampleRequest): string => {
  const { body } = request;
  if (id === "retrieveModel") return JSON.stringify(pathValue(request));
  if (!body || body.kind === "form") return "";
  const given: unknown = body.kind === "json" ? body.value : body.fields;
  const entries = Object.entries(typeof given === "object" && given !== null ? given : {});
  const own = ownParameters[id] ?? [];
  const extra = Object.fromEntries(entries.filter(([name]) => own.includes(name)));
  return [
    "",
    ...(body.kind === "files"
      ? [`    ${body.file.field}=open(${JSON.stringify(body.file.name)}, "rb"),`]
      : []),
    ...keywords(Object.fromEntries(entries.filter(([name]) => !own.includes(name)))),
    ...(Object.keys(extra).length > 0 ? keywords({ extra_body: extra }) : []),
    "",
  ].join("\n");
};

const python = (id: string, method: string, request: SampleRequest, baseUrl: string): string => {
  const file = typeof request.gives === "object" ? request.gives.file : undefined;
  return [
    "import os",
    "from openai import OpenAI",
    "",
    "client = OpenAI(",
    `    base_url=${JSON.stringify(`${baseUrl}/v1`)},`,
    '    api_key=os.environ["TOKEN"],',
    ")",
    `response = client.${method}(${pythonArguments(id, request)})`,
    file === undefined
      ? `print(response${read[id] ?? ""})`
      : `response.write_to_file(${JSON.stringify(file)})`,
  ].join("\n");
};

/**
 * The code of a request for the `openai` packages of Node and Python.
 *
 * @param id of the operation.
 * @param baseUrl the public address, without a slash at the end.
 * @returns `undefined` when the packages have no method for the operation.
 */
export const openAiSamples = (
  id: string,
  request: SampleRequest,
  baseUrl: string,
): OpenAiSamples | undefined => {
  const method = methods[id];
  return method === undefined
    ? undefined
    : { node: node(id, method, request, baseUrl), python: python(id, method, request, baseUrl) };
};
