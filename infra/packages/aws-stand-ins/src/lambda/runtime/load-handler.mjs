import { highWaterMarkSymbol, streamingSymbol } from "./response-stream.mjs";
import { runtimeError } from "./runtime-api-client.mjs";

const { existsSync } = process.getBuiltinModule("node:fs");
const path = process.getBuiltinModule("node:path");
const { pathToFileURL } = process.getBuiltinModule("node:url");

/**
 * @typedef {(event: unknown, ...rest: unknown[]) => unknown} HandlerFunction
 * @typedef {{ handle: HandlerFunction, streaming: boolean, highWaterMark: number | undefined }} Handler
 */

/** The order in which AWS's runtime looks for the file of a handler. */
const extensions = ["", ".js", ".mjs", ".cjs"];

// Worded as on AWS, because these are what developers search for.
const outsideRefused =
  "is not a valid handler name. Use absolute paths when specifying root directories in handler names.";
const callbackRefused =
  "ERROR: AWS Lambda has removed support for callback-based function handlers starting with Node.js 24. " +
  "You need to modify this function to use a supported handler signature to use Node.js 24 or later. " +
  "For more information see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.";

/**
 * Imports the function's module and finds its handler.
 *
 * @param {string} taskRoot absolute path of the folder that holds the function's code
 * @param {string} handlerName such as `index.handler` or `lib/index.nested.handler`
 * @returns {Promise<Handler>}
 */
export const loadHandler = async (taskRoot, handlerName) => {
  if (handlerName.includes("..")) {
    throw runtimeError("Runtime.MalformedHandlerName", `'${handlerName}' ${outsideRefused}`);
  }
  const match = /^([^.]*)\.(.*)$/.exec(path.basename(handlerName));
  if (match === null) throw runtimeError("Runtime.MalformedHandlerName", "Bad handler");
  const [, moduleName = "", exportName = ""] = match;
  const module = await importModule(path.resolve(taskRoot, path.dirname(handlerName), moduleName));
  const handle = find(module, exportName) ?? find(find(module, "default"), exportName);
  if (!handle) {
    throw runtimeError("Runtime.HandlerNotFound", `${handlerName} is undefined or not exported`);
  }
  if (!isFunction(handle)) {
    throw runtimeError("Runtime.HandlerNotFound", `${handlerName} is not a function`);
  }
  return describe(handle);
};

/** @param {string} pathWithoutExtension */
const importModule = async (pathWithoutExtension) => {
  const file = extensions.map((extension) => pathWithoutExtension + extension).find(existsSync);
  if (file === undefined) {
    throw runtimeError(
      "Runtime.ImportModuleError",
      `Error: Cannot find module '${path.basename(pathWithoutExtension)}'`,
    );
  }
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const named = runtimeError("Runtime.UserCodeSyntaxError", String(error));
    if (error.stack !== undefined) named.stack = error.stack;
    throw named;
  }
};

/**
 * @param {unknown} root
 * @param {string} dottedName
 * @returns {unknown}
 */
const find = (root, dottedName) =>
  dottedName
    .split(".")
    .reduce(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      root,
    );

/**
 * @param {unknown} value
 * @returns {value is HandlerFunction}
 */
const isFunction = (value) => typeof value === "function";

/**
 * @param {HandlerFunction} handle
 * @returns {Handler}
 */
const describe = (handle) => {
  const streaming = Reflect.get(handle, streamingSymbol) === "response";
  if (!streaming && handle.length >= 3) {
    throw runtimeError("Runtime.CallbackHandlerDeprecated", callbackRefused);
  }
  const highWaterMark = Number(Reflect.get(handle, highWaterMarkSymbol));
  return { handle, streaming, highWaterMark: highWaterMark > 0 ? highWaterMark : undefined };
};
