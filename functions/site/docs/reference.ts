import {
  type ApiDocument,
  type DocumentedContent,
  type DocumentedOperation,
  type DocumentedParameter,
  type NamedResponses,
  type NamedSchemas,
  resolveResponse,
} from "../../../shared/http/openapi/document.ts";
import {
  type CodeSamples,
  codeSamples,
  type SampleBody,
  type SampleRequest,
} from "../../../shared/pages/samples/code-samples.ts";
import { type OpenAiSamples, openAiSamples } from "../../../shared/pages/samples/openai-samples.ts";
import { type ErrorCode, errorCatalogue } from "../../../shared/platform/errors/catalogue.ts";
import { describeFields, type FieldRow, fieldRow } from "./describe-fields.ts";

/** An example of a response. */
interface ResponseExample {
  readonly contentType: string;
  /** `undefined` for audio and pages. */
  readonly text: string | undefined;
}

export interface ReferenceOperation {
  readonly id: string;
  readonly section: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated: boolean;
  /** The path of the replacement of a deprecated operation. */
  readonly replacedBy: string | undefined;
  readonly token: "needed" | "optional" | "none";
  /** The scope that a key needs; `undefined` when no key may call it. */
  readonly scope: string | undefined;
  readonly parameters: readonly (FieldRow & { readonly location: string })[];
  readonly requestTypes: readonly string[];
  readonly requestFields: readonly FieldRow[];
  readonly request: SampleRequest;
  readonly samples: CodeSamples;
  /** `undefined` when the packages of the OpenAI API have no method for it. */
  readonly openAi: OpenAiSamples | undefined;
  readonly status: string;
  readonly responseDescription: string;
  readonly responseFields: readonly FieldRow[];
  readonly responses: readonly ResponseExample[];
  readonly errors: readonly {
    readonly status: string;
    readonly code: ErrorCode;
    readonly sentence: string;
  }[];
}

/** The operations with one tag. */
export interface ReferenceSection {
  readonly name: string;
  readonly operations: readonly ReferenceOperation[];
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const fieldTexts = (example: unknown): Record<string, string> =>
  typeof example === "object" && example !== null
    ? Object.fromEntries(Object.entries(example).map(([name, value]) => [name, asText(value)]))
    : {};

const isFile = (row: FieldRow): boolean => row.type === "file";

const sampleBody = (
  type: string,
  { example }: DocumentedContent,
  fields: readonly FieldRow[],
): SampleBody => {
  if (type === "application/json") return { kind: "json", value: example };
  const texts = fieldTexts(example);
  const file = fields.find((row) => isFile(row) && row.name in texts);
  if (type !== "multipart/form-data" || !file) return { kind: "form", fields: texts };
  const { [file.name]: name = "", ...others } = texts;
  return { kind: "files", fields: others, file: { field: file.name, name } };
};

const audioFiles: Readonly<Record<string, string>> = {
  "audio/mpeg": "speech.mp3",
  "audio/wav": "speech.wav",
  "audio/ogg": "speech.ogg",
};

const whatComes = (status: string, types: readonly string[]): SampleRequest["gives"] => {
  if (status === "204") return "text";
  if (types.includes("application/json")) return "json";
  const file = types.map((type) => audioFiles[type]).find((name) => name !== undefined);
  return file === undefined ? "events" : { file };
};

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code);

const errorsOf = ({ responses }: DocumentedOperation, shared: NamedResponses): ReferenceOperation["errors"] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) =>
      Object.keys(resolveResponse(response, shared).content?.["application/json"]?.examples ?? {})
        .filter(isErrorCode)
        .map((code) => ({ status, code, sentence: errorCatalogue[code].message })),
    );

const tokenOf = (security: DocumentedOperation["security"] = []): ReferenceOperation["token"] => {
  if (security.length === 0) return "none";
  return security.some((way) => Object.keys(way).length === 0) ? "optional" : "needed";
};

const scopeOf = (security: DocumentedOperation["security"] = []): string | undefined => {
  const byKey = security.find((way) => "key" in way)?.["key"];
  return byKey && (byKey[0] ?? "any");
};

/** The address of the sample, with required parameters only. */
const addressOf = (path: string, parameters: readonly DocumentedParameter[]): string => {
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(asText(parameters.find((parameter) => parameter.name === name)?.schema.example)),
  );
  const query = new URLSearchParams(
    parameters
      .filter(({ in: location, required }) => location === "query" && required)
      .map(({ name, schema }): [string, string] => [name, asText(schema.example)]),
  ).toString();
  return query === "" ? inPath : `${inPath}?${query}`;
};

const shown = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  return typeof value === "string" ? value.trimEnd() : JSON.stringify(value, undefined, 2);
};

const describeRequest = (
  method: string,
  address: string,
  { parameters = [], requestBody, security }: DocumentedOperation,
  schemas: NamedSchemas,
) => {
  const contents = Object.entries(requestBody?.content ?? {});
  const [type = "", content = {}] = contents[0] ?? [];
  const requestFields = describeFields(content.schema ?? {}, schemas);
  const token = tokenOf(security);
  return {
    token,
    scope: scopeOf(security),
    parameters: parameters.map(({ in: location, name, schema, required = false, description }) => ({
      ...fieldRow(name, description === undefined ? schema : { ...schema, description }, schemas, required),
      location,
    })),
    requestTypes: contents.map(([contentType]) => contentType),
    requestFields,
    request: {
      method: method.toUpperCase(),
      url: address,
      needsToken: token === "needed",
      body: contents.length > 0 ? sampleBody(type, content, requestFields) : undefined,
    },
  };
};

const describeResponse = ({ responses }: DocumentedOperation, schemas: NamedSchemas) => {
  const [status = "", response] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const responseContents = Object.entries(response?.content ?? {});
  const gives = whatComes(
    status,
    responseContents.map(([type]) => type),
  );
  return {
    gives,
    status,
    responseDescription: response?.description ?? "",
    responseFields: describeFields(response?.content?.["application/json"]?.schema ?? {}, schemas),
    responses: responseContents.map(([contentType, { example }]) => ({ contentType, text: shown(example) })),
  };
};

const describeOperation = (
  method: string,
  path: string,
  operation: DocumentedOperation,
  { components: { schemas, responses } }: ApiDocument,
  baseUrl: string,
): ReferenceOperation => {
  const address = `${baseUrl}${addressOf(path, operation.parameters ?? [])}`;
  const described = describeRequest(method, address, operation, schemas);
  const { gives, ...response } = describeResponse(operation, schemas);
  const request: SampleRequest = { ...described.request, gives };
  return {
    id: operation.operationId,
    section: operation.tags[0] ?? "",
    method: request.method,
    path,
    summary: operation.summary,
    description: operation.description ?? "",
    isDeprecated: operation.deprecated ?? false,
    replacedBy: operation["x-replaced-by"],
    ...described,
    request,
    samples: codeSamples(request),
    openAi: openAiSamples(operation.operationId, request, baseUrl),
    ...response,
    errors: errorsOf(operation, responses),
  };
};

/** What readers look for less often than the models comes after them. */
const lateSections = ["Accounts and tokens", "Messaging", "Service", "Deprecated (v1)"];

/** Describes the operations of a document. @param baseUrl the public address, without a slash at the end. */
export const describeReference = (document: ApiDocument, baseUrl: string): ReferenceSection[] => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return document.tags
    .toSorted((one, other) => lateSections.indexOf(one.name) - lateSections.indexOf(other.name))
    .map(({ name }) => ({
      name,
      operations: operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ method, path, operation }) => describeOperation(method, path, operation, document, baseUrl)),
    }))
    .filter((section) => section.operations.length > 0);
};

/** The replacement of a deprecated operation. */
export const successorOf = (
  { replacedBy }: ReferenceOperation,
  operations: readonly ReferenceOperation[],
): ReferenceOperation | undefined => operations.find(({ path }) => path === replacedBy);
