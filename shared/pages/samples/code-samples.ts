/** A request that a page sends and whose code it shows. */
export interface SampleRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  /** The samples have the token in a variable. */
  readonly needsToken: boolean;
  readonly body?: SampleBody | undefined;
  /** The response; by default JSON. */
  readonly gives?: "json" | "text" | "events" | { readonly file: string } | undefined;
}

export type SampleBody =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "form"; readonly fields: Readonly<Record<string, string>> }
  | {
      readonly kind: "files";
      readonly fields: Readonly<Record<string, string>>;
      readonly file: { readonly field: string; readonly name: string };
    };

export interface CodeSamples {
  readonly curl: string;
  readonly typescript: string;
  readonly python: string;
}

const plainWord = /^[\w@%+=:,./-]+$/;

const indented = (text: string, spaces: number): string => text.replaceAll("\n", `\n${" ".repeat(spaces)}`);

/** Quotes a word for the shell. */
const shellWord = (text: string): string =>
  plainWord.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A file field of curl; names with its special characters are quoted. */
const curlFile = (field: string, name: string): string =>
  /[;,"\\]/.test(name)
    ? `${field}=@"${name.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`
    : `${field}=@${name}`;

/** JSON that is longer has a line for each member. */
const maxJsonLine = 48;

const curlJson = (value: unknown): string => {
  const line = JSON.stringify(value);
  return line.length <= maxJsonLine ? line : indented(JSON.stringify(value, null, 2), 2);
};

const curlBody = (body: SampleBody | undefined): string[] => {
  if (!body) return [];
  if (body.kind === "json") {
    return ["-H 'Content-Type: application/json'", `-d ${shellWord(curlJson(body.value))}`];
  }
  const fields = Object.entries(body.fields);
  if (body.kind === "form") {
    return fields.map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`);
  }
  const { field, name } = body.file;
  return [
    `-F ${shellWord(curlFile(field, name))}`,
    // With -F, a value that begins with @ or < would be read as a file.
    ...fields.map(
      ([key, value]) => `${/^[@<]/.test(value) ? "--form-string" : "-F"} ${shellWord(`${key}=${value}`)}`,
    ),
  ];
};

const fileOf = ({ gives }: SampleRequest): string | undefined =>
  typeof gives === "object" ? gives.file : undefined;

const curl = (request: SampleRequest): string => {
  const { method, url, needsToken, body, gives } = request;
  const file = fileOf(request);
  const usual = body ? "POST" : "GET";
  const flags = `curl -s${gives === "events" ? "N" : ""}${method === usual ? "" : ` -X ${method}`}`;
  return [
    `${flags} ${shellWord(url)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...curlBody(body),
    ...(file === undefined ? [] : [`-o ${shellWord(file)}`]),
  ].join(" \\\n  ");
};

const typescriptBody = (body: SampleBody): string => {
  if (body.kind === "json") return `JSON.stringify(${indented(JSON.stringify(body.value, null, 2), 2)})`;
  if (body.kind === "files") return "form";
  return `new URLSearchParams(${indented(JSON.stringify(body.fields, null, 2), 2)})`;
};

const typescriptForm = (body: SampleBody | undefined): string[] => {
  if (body?.kind !== "files") return [];
  const { fields, file } = body;
  const name = JSON.stringify(file.name);
  return [
    "const form = new FormData();",
    `form.set(${JSON.stringify(file.field)}, new Blob([await readFile(${name})]), ${name});`,
    ...Object.entries(fields).map(
      ([key, value]) => `form.set(${JSON.stringify(key)}, ${JSON.stringify(value)});`,
    ),
  ];
};

const typescriptEnd = (request: SampleRequest): string[] => {
  const file = fileOf(request);
  if (file !== undefined)
    return [`await writeFile(${JSON.stringify(file)}, Buffer.from(await response.arrayBuffer()));`];
  if (request.gives === "events") {
    return [
      "for await (const events of response.body.pipeThrough(new TextDecoderStream())) process.stdout.write(events);",
    ];
  }
  return [`console.log(await response.${request.gives === "text" ? "text" : "json"}());`];
};

const typescript = (request: SampleRequest): string => {
  const { method, url, needsToken, body } = request;
  const used = [
    ...(body?.kind === "files" ? ["readFile"] : []),
    ...(fileOf(request) === undefined ? [] : ["writeFile"]),
  ];
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample's own template
    ...(needsToken ? ["    Authorization: `Bearer ${process.env.TOKEN}`,"] : []),
    ...(body?.kind === "json" ? ['    "Content-Type": "application/json",'] : []),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length > 0 ? ["  headers: {", ...headers, "  },"] : []),
    ...(body ? [`  body: ${typescriptBody(body)},`] : []),
  ];
  const address = JSON.stringify(url);
  return [
    ...(used.length > 0 ? [`import { ${used.join(", ")} } from "node:fs/promises";`, ""] : []),
    ...typescriptForm(body),
    ...(options.length > 0
      ? [`const response = await fetch(${address}, {`, ...options, "});"]
      : [`const response = await fetch(${address});`]),
    ...typescriptEnd(request),
  ].join("\n");
};

/** A JSON value as Python code. */
export const pythonValue = (value: unknown, spaces: number): string => {
  const inner = " ".repeat(spaces + 4);
  const around = (open: string, entries: readonly string[], close: string): string =>
    entries.length === 0
      ? `${open}${close}`
      : `${open}\n${entries.map((entry) => `${inner}${entry},\n`).join("")}${" ".repeat(spaces)}${close}`;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    return around(
      "[",
      value.map((entry: unknown) => pythonValue(entry, spaces + 4)),
      "]",
    );
  }
  if (typeof value === "object") {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    return around(
      "{",
      entries.map(([name, entry]) => `${JSON.stringify(name)}: ${pythonValue(entry, spaces + 4)}`),
      "}",
    );
  }
  return JSON.stringify(value);
};

const pythonBody = (body: SampleBody | undefined): string[] => {
  if (!body) return [];
  if (body.kind === "json") return [`    json=${pythonValue(body.value, 4)},`];
  const data = `    data=${pythonValue(body.fields, 4)},`;
  if (body.kind === "form") return [data];
  const { field, name } = body.file;
  return [`    files={${JSON.stringify(field)}: open(${JSON.stringify(name)}, "rb")},`, data];
};

const pythonEnd = (request: SampleRequest): string[] => {
  const file = fileOf(request);
  if (file !== undefined)
    return [`with open(${JSON.stringify(file)}, "wb") as file:`, "    file.write(response.content)"];
  if (request.gives === "events") {
    return ["for line in response.iter_lines():", '    print(line.decode("utf-8"))'];
  }
  return [`print(response.${request.gives === "text" ? "text" : "json()"})`];
};

const python = (request: SampleRequest): string => {
  const { method, url, needsToken, body, gives } = request;
  return [
    ...(needsToken ? ["import os", ""] : []),
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    ...(needsToken ? [`    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},`] : []),
    ...pythonBody(body),
    ...(gives === "events" ? ["    stream=True,"] : []),
    ")",
    ...pythonEnd(request),
  ].join("\n");
};

/** The code of a request for curl, TypeScript (Node) and Python (requests). */
export const codeSamples = (request: SampleRequest): CodeSamples => ({
  curl: curl(request),
  typescript: typescript(request),
  python: python(request),
});
