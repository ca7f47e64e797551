/** The parts of JSON Schema that contracts use. */
export interface DocumentedSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly example?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: NamedSchemas;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly not?: unknown;
}

/** `true` allows any value, `false` none. */
export type JsonSchema = DocumentedSchema | boolean;

export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** Follows a schema's `$ref`. */
export const resolveSchema = (given: JsonSchema, schemas: NamedSchemas): DocumentedSchema => {
  const schema: DocumentedSchema = typeof given === "boolean" ? {} : given;
  const name = schema.$ref?.slice("#/components/schemas/".length);
  const target = name === undefined ? undefined : schemas[name];
  if (!target) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...resolveSchema(target, schemas), ...beside };
};

export interface DocumentedContent {
  readonly schema?: DocumentedSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface DocumentedParameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: DocumentedSchema;
}

/** A response. That of an error is a `$ref` to one that operations share. */
export interface DocumentedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, DocumentedContent>>;
}

export type NamedResponses = Readonly<Record<string, DocumentedResponse>>;

/** Follows a response's `$ref`. */
export const resolveResponse = (
  response: DocumentedResponse,
  responses: NamedResponses,
): DocumentedResponse => responses[response.$ref?.slice("#/components/responses/".length) ?? ""] ?? response;

/** An operation, as the OpenAPI document of `functions/docs/build-openapi.ts` has it. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  /** The path of the operation that replaces a deprecated one. */
  readonly "x-replaced-by"?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, DocumentedContent>> };
  readonly responses: NamedResponses;
}

/** The parts of the OpenAPI document that code reads. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: NamedSchemas; readonly responses: NamedResponses };
}
