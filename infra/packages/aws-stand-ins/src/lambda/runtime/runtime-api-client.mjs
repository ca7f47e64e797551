/**
 * An error as the Runtime API takes it.
 *
 * @typedef {{ errorType: string, errorMessage: string, trace: string[] }} ErrorReport
 */

/**
 * Describes what a function threw. Thrown values that are no errors keep their type and text, as on AWS.
 *
 * @param {unknown} error
 * @returns {ErrorReport}
 */
export const reportError = (error) => {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split("\n") ?? [] };
};

/**
 * An error of the runtime itself, under AWS's name.
 *
 *
 * @param {string} name such as `Runtime.HandlerNotFound`
 * @param {string} message
 */
export const runtimeError = (name, message) => {
  const error = new Error(message);
  error.name = name;
  return error;
};

/** @import { ClientRequest, IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http" */

// An ESM import of node:http evaluates all its lazy exports, global fetch included: 30 ms of every cold start.
const http = process.getBuiltinModule("node:http");

/** Speaks the Lambda Runtime API over one kept-alive connection. */
export class RuntimeApiClient {
  #agent = new http.Agent({ keepAlive: true });
  #hostname;
  #port;
  #path;

  /** @param {string} address `host:port`, or `host:port/prefix` where one server serves many environments */
  constructor(address) {
    const url = new URL(`http://${address}`);
    this.#hostname = url.hostname;
    this.#port = url.port;
    this.#path = `${url.pathname.replace(/\/$/, "")}/2018-06-01/runtime`;
  }

  /** Waits for the next invocation. */
  async next() {
    const { headers, body } = await this.#call("GET", "/invocation/next");
    return { headers, event: JSON.parse(body) };
  }

  /**
   * @param {string} requestId
   * @param {string} payload JSON
   */
  async respond(requestId, payload) {
    await this.#call("POST", `/invocation/${requestId}/response`, payload);
  }

  /**
   * @param {string} requestId
   * @param {ErrorReport} report
   */
  async fail(requestId, report) {
    await this.#call("POST", `/invocation/${requestId}/error`, JSON.stringify(report));
  }

  /** @param {ErrorReport} report */
  async failInitialization(report) {
    await this.#call("POST", "/init/error", JSON.stringify(report));
  }

  /**
   * Opens a streamed response. Nothing leaves before the first write or the end of the request.
   *
   * @param {string} requestId
   * @returns {ClientRequest}
   */
  openResponse(requestId) {
    return this.#open("POST", `/invocation/${requestId}/response`, {
      "Lambda-Runtime-Function-Response-Mode": "streaming",
      Trailer: "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
      "Content-Type": "application/octet-stream",
      "Transfer-Encoding": "chunked",
    });
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {OutgoingHttpHeaders} headers
   */
  #open(method, path, headers) {
    return http.request({
      agent: this.#agent,
      hostname: this.#hostname,
      port: this.#port,
      method,
      path: this.#path + path,
      headers,
    });
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string} [payload]
   * @returns {Promise<{ headers: IncomingHttpHeaders, body: string }>}
   */
  #call(method, path, payload) {
    const { promise, resolve, reject } = Promise.withResolvers();
    const headers =
      payload === undefined
        ? {}
        : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(payload) };
    const request = this.#open(method, path, headers);
    request.once("error", reject);
    request.once("response", (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        body += text;
      });
      response.once("end", () => resolve({ headers: response.headers, body }));
      response.once("error", reject);
    });
    request.end(payload);
    return promise;
  }
}
