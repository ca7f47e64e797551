import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { buildOpenApi } from "../../../functions/docs/build-openapi.ts";
import { functionDefinitions, operations } from "../../../functions/manifest.ts";
import { defineOperation, type Operation } from "../../../shared/http/operation.ts";
import { problemsOf } from "../../support/declared.ts";

const file = new URL("../../../shared/http/openapi/openapi.json", import.meta.url);

const content = z.record(z.string(), z.object({ example: z.unknown().optional() }));
const examples = z.record(z.string(), z.object({ value: z.looseObject({ request_id: z.string() }) }));
const response = z.object({
  content: z
    .record(
      z.string(),
      z.object({
        example: z.unknown().optional(),
        schema: z.looseObject({ format: z.string().optional() }).optional(),
        examples: z.record(z.string(), z.object({ $ref: z.string() })).optional(),
      }),
    )
    .optional(),
  headers: z.record(z.string(), z.object({ $ref: z.string() })),
});
const { components } = z
  .object({ components: z.object({ examples, responses: z.record(z.string(), response) }) })
  .parse(JSON.parse(readFileSync(file, "utf8")));
const reference = z.object({ $ref: z.string() });
const shared = reference.transform(({ $ref }) =>
  response.parse(components.responses[$ref.split("/").at(-1) ?? ""]),
);

const operationObject = z.object({
  parameters: z
    .array(
      z.object({
        in: z.string(),
        name: z.string(),
        required: z.boolean().default(false),
        schema: z.looseObject({}),
      }),
    )
    .default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.union([shared, response])),
});
const document = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
  .parse(JSON.parse(readFileSync(file, "utf8")));

/** Every schema of the document with its path; examples are left out, as they are values. */
const schemasBelow = (value: unknown, path = ""): [string, Readonly<Record<string, unknown>>][] => {
  if (Array.isArray(value)) return value.flatMap((entry, index) => schemasBelow(entry, `${path}/${index}`));
  if (typeof value !== "object" || value === null) return [];
  const members = z.record(z.string(), z.unknown()).parse(value);
  return [
    [path, members],
    ...Object.entries(members).flatMap(([name, member]) =>
      name === "example" || name === "examples" ? [] : schemasBelow(member, `${path}/${name}`),
    ),
  ];
};

const schemas = schemasBelow(JSON.parse(readFileSync(file, "utf8")));

const pathsOf = (matches: (schema: Readonly<Record<string, unknown>>, path: string) => boolean): string[] =>
  schemas.filter(([path, schema]) => matches(schema, path)).map(([path]) => path);

describe("the schemas, for generators of clients", () => {
  it("are never only null, except as an alternative", () => {
    expect(pathsOf(({ type }, path) => type === "null" && !/\/(?:any|one)Of\/\d+$/.test(path))).toEqual([]);
  });

  it("do not repeat a format as a pattern", () => {
    expect(pathsOf(({ format, pattern }) => format !== undefined && pattern !== undefined)).toEqual([]);
  });

  it("are texts where they have one value or list their values", () => {
    const isOther = (value: unknown): boolean => typeof value !== "string" || value === "";
    const listed = ({ const: only, enum: values }: Readonly<Record<string, unknown>>) =>
      [only ?? [], Array.isArray(values) ? values : []].flat();
    expect(pathsOf((schema) => listed(schema).some(isOther))).toEqual([]);
  });

  it("are named when they have fields, so that no class gets a number", () => {
    const isNamed = /^\/components\/schemas\/[^/]+$/;
    expect(
      pathsOf(({ type, properties }, path) => type === "object" && !!properties && !isNamed.test(path)),
    ).toEqual([]);
    expect(pathsOf((_, path) => /^\/components\/schemas\/[^/]*(?:__|\d$)/.test(path))).toEqual([]);
  });

  it("let a translation leave out and add fields, as the specification says", () => {
    const named = (name: string) => schemas.find(([path]) => path === `/components/schemas/${name}`)?.[1];
    for (const schema of [named("TranslateResponse"), named("TranslationOutput")]) {
      expect(schema).toBeDefined();
      expect(schema).not.toHaveProperty("required");
      expect(schema).not.toMatchObject({ additionalProperties: false });
    }
  });
});

const described = z.looseObject({ description: z.string().min(1) });
const fields = z.object({ properties: z.record(z.string(), z.unknown()) });
const parameters = z.object({ parameters: z.array(z.looseObject({ name: z.string() })) });

describe("the fields of the schemas, and the parameters", () => {
  const isDescribed = (field: unknown): boolean => {
    if (described.safeParse(field).success) return true;
    const { $ref } = reference.safeParse(field).data ?? {};
    return $ref !== undefined && isDescribed(schemas.find(([path]) => `#${path}` === $ref)?.[1]);
  };

  it("have a description, or are named by a schema that has one", () => {
    const lacking = schemas.flatMap(([path, schema]) => [
      ...Object.entries(fields.safeParse(schema).data?.properties ?? {})
        .filter(([, field]) => !isDescribed(field))
        .map(([name]) => `${path}/${name}`),
      ...(parameters.safeParse(schema).data?.parameters ?? [])
        .filter((parameter) => !isDescribed(parameter))
        .map(({ name }) => `${path}/${name}`),
    ]);
    expect(lacking).toEqual([]);
  });

  it("say more than their names", () => {
    const words = (text: string) => text.toLowerCase().replaceAll(/\b(?:the|a|an|of|its)\b|[\W_]/g, "");
    const fillers = schemas.flatMap(([path, schema]) =>
      Object.entries(fields.safeParse(schema).data?.properties ?? {}).flatMap(([name, field]) => {
        const { description = "" } = described.safeParse(field).data ?? {};
        return words(description) === words(name) ? `${path}/${name}: ${description}` : [];
      }),
    );
    expect(fillers).toEqual([]);
  });
});

const describedAs = ({ method, path }: Operation) =>
  operationObject.parse(document.paths[path]?.[method.toLowerCase()]);

/** A body as it comes out of the body parser: forms are texts and files. */
const asParsed = ({ body }: Operation, example: unknown): unknown => {
  if (body?.encoding === "raw") return Buffer.from(JSON.stringify(example));
  if (body?.encoding !== "form" && body?.encoding !== "multipart") return example;
  return Object.fromEntries(
    Object.entries(z.record(z.string(), z.unknown()).parse(example)).map(([name, value]) => [
      name,
      name === "audio" || name === "file"
        ? { filename: String(value), content: Buffer.from("RIFF") }
        : String(value),
    ]),
  );
};

const requestProblems = (operation: Operation): string[] => {
  const { body } = operation;
  const sent = describedAs(operation).requestBody?.content ?? {};
  if (body && Object.keys(sent).length === 0) return ["no example"];
  return Object.values(sent).flatMap(({ example }) => {
    const result = body?.schema.safeParse(asParsed(operation, example));
    return result?.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
  });
};

const parameterProblems = (operation: Operation, location: "query" | "path"): string[] => {
  const schema = location === "query" ? operation.query : operation.pathParameters;
  const parameters = describedAs(operation).parameters.filter((parameter) => parameter.in === location);
  const given = Object.fromEntries(
    parameters.flatMap(({ name, schema: { example } }) =>
      example === undefined ? [] : [[name, String(example)]],
    ),
  );
  const lacking = parameters.filter(({ name, required }) => required && !(name in given));
  const issues = schema?.safeParse(given).error?.issues ?? [];
  return [
    ...lacking.map(({ name }) => `${name}: no example`),
    ...issues.map(({ path, message }) => `${path.join(".")}: ${message}`),
  ];
};

const events = /^(?:(?:event: [\w.]+\n)?data: (?:\{.*\}|\[DONE\])\n\n)+$/;

const responseProblems = (operation: Operation): string[] => {
  const { response } = operation;
  const contents = describedAs(operation).responses[String(response.status)]?.content;
  if (response.status === 204) return contents ? ["a body"] : [];
  if (!contents) return ["no form of an answer"];
  return Object.entries(contents).flatMap(([type, { example, schema }]) => {
    if (type === "application/json") return problemsOf(response.schema, example);
    if (type === "text/html") return [];
    if (/^(?:audio\/|application\/vnd\.)/.test(type))
      return schema?.format === "binary" ? [] : [`${type}: not binary`];
    if (typeof example !== "string" || example === "") return [`${type}: no example`];
    return type === "text/event-stream" && !events.test(example) ? [`${type}: no events`] : [];
  });
};

/** Whether a status has the form of another protocol, and not that of our errors. */
const isForeign = ({ response }: Operation, status: string): boolean =>
  Number(status) in (response.otherStatuses ?? {});

const foreignProblems = (operation: Operation): string[] =>
  Object.entries(describedAs(operation).responses)
    .filter(([status, { content }]) => isForeign(operation, status) && content)
    .flatMap(([, { content }]) =>
      problemsOf(operation.response.schema, content?.["application/json"]?.example),
    );

const errorProblems = (operation: Operation): string[] =>
  Object.entries(describedAs(operation).responses)
    .filter(([status]) => Number(status) >= 400 && !isForeign(operation, status))
    .flatMap(([status, { content: contents }]) => {
      const references = Object.values(contents?.["application/json"]?.examples ?? {});
      const lost = references.filter(
        ({ $ref }) => !components.examples[$ref.slice("#/components/examples/".length)],
      );
      return references.length === 0 || lost.length > 0 ? [`${status}: no example of its errors`] : [];
    });

describe("the API's description", () => {
  it("matches the contracts; npm run openapi writes it again", () => {
    expect(JSON.parse(JSON.stringify(buildOpenApi(functionDefinitions)))).toEqual(
      JSON.parse(readFileSync(file, "utf8")),
    );
  });

  it("names what has no example, and where", () => {
    const operation = defineOperation({
      id: "bare",
      method: "POST",
      path: "/bare",
      summary: "Without examples",
      tag: "Service",
      auth: "public",
      body: { encoding: "json", schema: z.object({ colour: z.string() }) },
      response: { status: 200, description: "It", schema: z.object({ size: z.int() }) },
      errors: [],
    });
    expect(() => buildOpenApi([{ operations: [operation], transfer: "buffered" }])).toThrow(
      /bare request\.colour\nbare application\/json\.size$/,
    );
  });
});

describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  "%s",
  (_, operation) => {
    it("has an example of its request, its response and its errors, matching their schemas", () => {
      expect({
        request: requestProblems(operation),
        query: parameterProblems(operation, "query"),
        path: parameterProblems(operation, "path"),
        response: responseProblems(operation),
        errors: [...errorProblems(operation), ...foreignProblems(operation)],
      }).toEqual({ request: [], query: [], path: [], response: [], errors: [] });
      expect(Object.keys(describedAs(operation).responses)).toContain("500");
    });

    it("declares the headers of each response", () => {
      for (const [status, { headers }] of Object.entries(describedAs(operation).responses)) {
        const names = Object.keys(headers);
        expect(names).toContain("X-Request-Id");
        expect(names.includes("Sunset")).toBe(operation.deprecated !== undefined);
        expect(names.includes("WWW-Authenticate")).toBe(status === "401");
        if (status === "429" || status === "503") expect(names).toContain("Retry-After");
      }
    });
  },
);
