import { readFileSync } from "node:fs";
import { inject } from "vitest";
import * as z from "zod";

const reference = z.object({ $ref: z.string() });
const response = z.object({ headers: z.record(z.string(), z.unknown()).default({}) });
const document = z
  .object({
    paths: z.record(
      z.string(),
      z.record(z.string(), z.object({ responses: z.record(z.string(), z.union([reference, response])) })),
    ),
    components: z.object({ responses: z.record(z.string(), response).default({}) }),
  })
  .parse(
    JSON.parse(readFileSync(new URL("../../shared/http/openapi/openapi.json", import.meta.url), "utf8")),
  );

/** Headers of HTTP itself, and of API Gateway on AWS. */
const ofTransport = /^(?:date|connection|keep-alive|content-length|content-type|transfer-encoding|x-amz.*)$/;

const bases = [inject("baseUrl"), inject("chatStreamUrl")];

/** An operation's path as a pattern; literal paths come before those with parameters. */
const patterns = Object.entries(document.paths)
  .map(([path, methods]) => ({
    path,
    methods,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }))
  .toSorted((one, other) => one.path.split("{").length - other.path.split("{").length);

/** What the OpenAPI document does not declare in a response: its status, or headers; nothing at other addresses. */
export const undeclaredIn = (
  method: string,
  url: string,
  { status, headers }: Pick<Response, "headers" | "status">,
): string[] => {
  const base = bases.find((one) => url.startsWith(`${one}/`));
  if (base === undefined) return [];
  const { pathname } = new URL(`http://service${url.slice(base.length)}`);
  const found = patterns.find(({ pattern }) => pattern.test(pathname));
  const operation = found?.methods[method === "HEAD" ? "get" : method.toLowerCase()];
  if (!found || !operation) return [];
  const where = `${method} ${found.path}: ${status}`;
  const declared = operation.responses[String(status)];
  if (!declared) return [where];
  const resolved =
    "$ref" in declared
      ? document.components.responses[declared.$ref.slice("#/components/responses/".length)]
      : declared;
  const names = new Set(Object.keys(resolved?.headers ?? {}).map((name) => name.toLowerCase()));
  return [...headers.keys()]
    .filter((name) => !names.has(name) && !ofTransport.test(name))
    .map((name) => `${where} ${name}`);
};

const undeclared = new Set<string>();
const send = globalThis.fetch;

// Every response to any client: those of SDKs use the same `fetch`. Files share this module, so it is replaced once.
globalThis.fetch = async (input, init) => {
  const received = await send(input, init);
  const { method, url } = input instanceof Request ? input : { method: "GET", url: String(input) };
  for (const each of undeclaredIn(init?.method ?? method, url, received)) undeclared.add(each);
  return received;
};

/** What was found since it was last asked. */
export const takeUndeclared = (): string[] => {
  const found = [...undeclared];
  undeclared.clear();
  return found;
};
