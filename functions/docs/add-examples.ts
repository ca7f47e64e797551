import type { createDocument, oas31 } from "zod-openapi";
import type { JsonSchema, NamedSchemas } from "../../shared/http/openapi/document.ts";
import type { Operation } from "../../shared/http/operation.ts";
import { composeExample } from "./compose-example.ts";

type Document = ReturnType<typeof createDocument>;

const methods = { GET: "get", POST: "post", PUT: "put", DELETE: "delete" } as const;

/** Responses without a text to show: audio, pages and office files. */
const withoutText = /^(?:audio\/|text\/html$|application\/vnd\.)/;

/**
 * Adds an example to every request and every successful response of a document.
 *
 * @throws Error that lists every missing example.
 */
export const addExamples = (document: Document, operations: readonly Operation[]): void => {
  const missing: string[] = [];
  const schemas: NamedSchemas = document.components?.schemas ?? {};

  for (const { id, method, path, example, response } of operations) {
    const described = document.paths?.[path]?.[methods[method]];
    const compose = (schema: JsonSchema | undefined, side: "request" | "answer", location: string): unknown =>
      composeExample(schema ?? {}, `${id} ${location}`, { schemas, side, missing });

    for (const parameter of described?.parameters ?? []) {
      if ("schema" in parameter && parameter.required) compose(parameter.schema, "request", parameter.name);
    }
    const { requestBody, responses } = described ?? {};
    if (requestBody && !("$ref" in requestBody)) {
      for (const content of Object.values(requestBody.content)) {
        if ("schema" in content)
          content.example = example?.request ?? compose(content.schema, "request", "request");
      }
    }
    const received = responses?.[String(response.status)];
    const contents: oas31.ContentObject = received && "content" in received ? received.content : {};
    for (const [type, content] of Object.entries(contents)) {
      if (withoutText.test(type)) continue;
      const given = type === "application/json" ? example?.response : example?.otherResponses?.[type];
      content.example = given ?? compose(content.schema, "answer", type);
    }
  }
  if (missing.length > 0) {
    throw new Error(`These need an example in their contracts:\n${missing.join("\n")}`);
  }
};
