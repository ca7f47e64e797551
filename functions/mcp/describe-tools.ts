import { buildOpenApi } from "../docs/build-openapi.ts";
import { type ToolDefinition, toolDefinitions } from "./tools.ts";

/** A schema of the OpenAPI document, which is JSON Schema. */
type Schema = Readonly<Record<string, unknown>>;

/** What clients are sent about a tool. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  readonly annotations: Readonly<Record<string, boolean>>;
}

type Document = ReturnType<typeof buildOpenApi>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const schemaOr = (value: unknown): Schema => (isSchema(value) ? value : {});

/** What only OpenAPI knows, and what forbids fields that a later version may have. */
const dropped: ReadonlySet<string> = new Set(["example", "discriminator", "additionalProperties"]);

/** Fields that are refused by name: agents need not know about them. */
const isRefused = (value: unknown): boolean =>
  isSchema(value) && isSchema(value["not"]) && Object.keys(value["not"]).length === 0;

/**
 * Writes the schemas that a schema refers to in its own text, because many clients do not resolve references.
 *
 * @param isFields whether the members are names of fields and not keywords.
 */
const inlined = (value: unknown, schemas: Schema, isFields = false): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => inlined(one, schemas));
  if (!isSchema(value)) return value;
  const { $ref: reference, ...others } = value;
  if (!isFields && typeof reference === "string") {
    const { [reference.slice(reference.lastIndexOf("/") + 1)]: target } = schemas;
    return inlined({ ...schemaOr(target), ...others }, schemas);
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (isFields) return isRefused(member) ? [] : [[name, inlined(member, schemas)]];
      if (dropped.has(name) && !(name === "additionalProperties" && isSchema(member))) return [];
      return [[name, inlined(member, schemas, name === "properties")]];
    }),
  );
};

const operationOf = (document: Document, { path, method }: ToolDefinition["operation"]): Schema =>
  schemaOr(schemaOr(schemaOr(document.paths)[path])[method.toLowerCase()]);

const firstContent = (content: unknown): Schema =>
  schemaOr(schemaOr(Object.values(schemaOr(content))[0])["schema"]);

const parametersOf = (operation: Schema): Schema[] => {
  const { parameters } = operation;
  if (!Array.isArray(parameters)) return [];
  return parameters
    .filter(isSchema)
    .filter(({ in: position }) => position === "query" || position === "path");
};

const withoutDefaults = ({ required, properties, ...others }: Schema, names: readonly string[]): Schema => ({
  ...others,
  properties: Object.fromEntries(
    Object.entries(schemaOr(properties)).filter(([name]) => !names.includes(name)),
  ),
  ...(Array.isArray(required)
    ? { required: required.filter((name) => typeof name === "string" && !names.includes(name)) }
    : {}),
});

/** Of a union of bodies, the one that the tool's fixed fields choose. */
const chosen = (schema: Schema, { fixed = {} }: ToolDefinition): Schema => {
  const { oneOf } = schema;
  if (!Array.isArray(oneOf)) return schema;
  const matches = oneOf.filter(isSchema).filter(({ properties }) =>
    Object.entries(schemaOr(properties)).every(([name, property]) => {
      const { const: only } = schemaOr(property);
      return only === undefined || fixed[name] === only;
    }),
  );
  const [only, ...others] = matches;
  if (!only || others.length > 0) throw new Error("The fixed fields of a tool must choose one body.");
  return only;
};

const inputSchema = (tool: ToolDefinition, document: Document, schemas: Schema): Schema => {
  const operation = operationOf(document, tool.operation);
  const body = schemaOr(inlined(firstContent(schemaOr(operation["requestBody"])["content"]), schemas));
  const parameters = parametersOf(operation);
  const { properties, required, ...others } = withoutDefaults(chosen(body, tool), [
    ...(tool.omitted ?? []),
    ...Object.keys(tool.fixed ?? {}),
  ]);
  const needed = [
    ...(Array.isArray(required) ? required : []),
    ...parameters.filter((parameter) => parameter["required"] === true).map(({ name }) => name),
  ];
  return {
    ...others,
    type: "object",
    properties: {
      ...schemaOr(properties),
      ...Object.fromEntries(
        parameters.map(({ name, schema }) => [String(name), inlined(schema, schemas)] as const),
      ),
      ...tool.added,
    },
    ...(needed.length > 0 ? { required: needed } : {}),
  };
};

const outputOf = (operation: ToolDefinition["operation"], document: Document, schemas: Schema): Schema => {
  const responses = schemaOr(operationOf(document, operation)["responses"]);
  const response = schemaOr(responses[String(operation.response.status)]);
  return schemaOr(inlined(firstContent(response["content"]), schemas));
};

/** Revision 2025-11-25 requires an object at the top. */
const outputSchema = (tool: ToolDefinition, document: Document, schemas: Schema): Schema => {
  const schema = outputOf(tool.operation, document, schemas);
  if (!tool.resultOf) return { ...schema, type: "object" };
  const { operation, field, description } = tool.resultOf;
  const added = { [field]: { ...outputOf(operation, document, schemas), description } };
  return { ...schema, type: "object", properties: { ...schemaOr(schema["properties"]), ...added } };
};

/** What clients are sent about the tools: their schemas are those of their operations, written as the API's own document is. */
export const describeTools = (): ToolDescription[] => {
  const operations = toolDefinitions.flatMap(({ operation, resultOf }) =>
    resultOf ? [operation, resultOf.operation] : [operation],
  );
  const document = buildOpenApi([{ operations, transfer: "buffered" }]);
  const schemas = schemaOr(document.components?.schemas);
  return toolDefinitions.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool, document, schemas),
    outputSchema: outputSchema(tool, document, schemas),
    annotations: {
      readOnlyHint: tool.isReadOnly,
      ...(tool.isReadOnly ? {} : { destructiveHint: false, idempotentHint: false }),
      openWorldHint: false,
    },
  }));
};
