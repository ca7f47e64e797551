/** As much of a JSON Schema as the contracts' schemas become. */
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
  readonly additionalProperties?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly not?: unknown;
}

/** A boolean says whether anything may be there. */
export type JsonSchema = DocumentedSchema | boolean;

/** Schemas by their names. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** The schema that is meant, for one that refers to another. */
export const resolveSchema = (given: JsonSchema, schemas: NamedSchemas): DocumentedSchema => {
  const schema: DocumentedSchema = typeof given === "boolean" ? {} : given;
  const name = schema.$ref?.slice("#/components/schemas/".length);
  const target = name === undefined ? undefined : schemas[name];
  if (!target) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...resolveSchema(target, schemas), ...beside };
};

/** A body in one of its forms. */
export interface DocumentedContent {
  readonly schema?: DocumentedSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** A value in an address or a header. */
export interface DocumentedParameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: DocumentedSchema;
}

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
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, DocumentedContent>> }
    >
  >;
}

/** The OpenAPI document, as far as it is read here. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: NamedSchemas };
}
