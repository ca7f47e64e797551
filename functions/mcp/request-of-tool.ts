import * as z from "zod";
import type { Operation } from "../../shared/http/operation.ts";
import { invalidField } from "../../shared/platform/errors/app-error.ts";
import { uploadsFolder } from "../../shared/platform/storage/object-store.ts";
import type { OperationCall } from "./call-operation.ts";
import type { ToolDefinition } from "./tools.ts";

type Arguments = Readonly<Record<string, unknown>>;

const namesIn = (schema: z.ZodType | undefined): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/** The arguments that are parameters of an address. */
const textsOf = (schema: z.ZodType | undefined, given: Arguments): Record<string, string> =>
  Object.fromEntries(
    namesIn(schema).flatMap((name) => {
      const value = given[name];
      if (value === undefined || value === null) return [];
      return [[name, typeof value === "string" ? value : JSON.stringify(value)]];
    }),
  );

/** Fields as a form would have them: texts. What is neither text nor boolean stays, and the operation refuses it. */
const formOf = (given: Arguments): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === null ? [] : [[name, typeof value === "boolean" ? String(value) : value]],
    ),
  );

/** The id of the upload that a link of `POST /tasks/generate-upload-url` belongs to. Nothing is fetched from the link. */
const uploadOf = (url: unknown): string => {
  const pathname = typeof url === "string" ? (URL.parse(url)?.pathname ?? "") : "";
  const [, id] = new RegExp(`/${uploadsFolder}([0-9a-f-]{36})/[^/]+$`).exec(pathname) ?? [];
  if (id === undefined) throw invalidField(["body", "url"], "this is not a link to upload a file to");
  return id;
};

const withUpload = ({ url, ...given }: Arguments): Arguments => {
  if (url === undefined || url === null) return given;
  if (given["file_id"] !== undefined)
    throw invalidField(["body", "url"], "send either url or file_id, not both");
  return { ...given, file_id: uploadOf(url) };
};

/**
 * The request that a tool sends for its arguments. Its operation validates it.
 *
 * @throws ValidationError for a `url` that is not that of an upload.
 */
export const requestOfTool = (tool: ToolDefinition, given: Arguments): OperationCall => {
  const operation: Operation = tool.operation;
  const { body, query, pathParameters } = operation;
  const fields = { ...(tool.added && "url" in tool.added ? withUpload(given) : given), ...tool.fixed };
  return {
    operation,
    ...(query ? { query: textsOf(query, given) } : {}),
    ...(pathParameters ? { path: textsOf(pathParameters, given) } : {}),
    ...(body?.encoding === "json" ? { body: JSON.stringify(fields) } : {}),
    ...(body?.encoding === "multipart" ? { form: formOf(fields) } : {}),
  };
};
