/** @import { ResponseStream } from "./response-stream.mjs" */

/** The marks AWS's runtime leaves on a streaming handler; global symbols, so that libraries can read them. */
export const STREAMING = Symbol.for("aws.lambda.runtime.handler.streaming");
export const HIGH_WATER_MARK = Symbol.for("aws.lambda.runtime.handler.streaming.highWaterMark");

const INTEGRATION_RESPONSE = "application/vnd.awslambda.http-integration-response";

/** The global object `awslambda` that AWS's Node.js runtime gives to functions. */
export const awslambda = {
  /**
   * @template {(...parameters: never[]) => unknown} Handler
   * @param {Handler} handler
   * @param {{ highWaterMark?: number }} [options]
   */
  streamifyResponse(handler, options) {
    const marks = { [STREAMING]: "response", [HIGH_WATER_MARK]: options?.highWaterMark };
    return Object.assign(handler, marks);
  },

  HttpResponseStream: {
    /**
     * Puts status code, headers and cookies in front of a streamed HTTP response.
     *
     * @param {ResponseStream} stream
     * @param {object} metadata
     */
    from(stream, metadata) {
      stream.setContentType(INTEGRATION_RESPONSE);
      stream.setPrelude(JSON.stringify(metadata));
      return stream;
    },
  },
};
