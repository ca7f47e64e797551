/** Streams a greeting; its second half comes when the first has long been read. */
export const handler = awslambda.streamifyResponse(async (_event, response) => {
  response.setContentType("text/plain");
  response.write("Hello, ");
  setTimeout(() => response.end("world!"), 1_000);
});
