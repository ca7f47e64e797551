import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { checkService } from "../../../functions/canary/check-service.ts";

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A service that records requests, and responds as the test says. */
const serve = async (respond: (path: string) => { status: number; body: unknown }) => {
  const requested: string[] = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      requested.push(
        `${request.method} ${request.url} ${request.headers.authorization ?? "-"} ${body}`.trim(),
      );
      const { status, body: given } = respond(request.url ?? "");
      response.writeHead(status).end(JSON.stringify(given));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { requested, publicBaseUrl: `http://127.0.0.1:${port}/prod` };
};

const healthy = (path: string) => ({
  status: 200,
  body: path.endsWith("/health") ? { status: "ok" } : { output: { translated_text: "amazzi" } },
});

describe("the canary", () => {
  it("requests health, and translates a word with its key", async () => {
    const { requested, publicBaseUrl } = await serve(healthy);
    await checkService({ publicBaseUrl, readKey: async () => "operators" });
    expect(requested).toEqual([
      "GET /prod/health -",
      'POST /prod/tasks/translate Bearer operators {"text":"water","source_language":"eng","target_language":"lug"}',
    ]);
  });

  it("requests health only, as long as it has no key", async () => {
    const { requested, publicBaseUrl } = await serve(healthy);
    await checkService({ publicBaseUrl, readKey: async () => undefined });
    expect(requested).toEqual(["GET /prod/health -"]);
  });

  it.each([
    ["the service does not respond", (path: string) => ({ ...healthy(path), status: 503 }), "status 503"],
    [
      "its key is refused",
      (path: string) => (path.endsWith("/health") ? healthy(path) : { status: 401, body: {} }),
      "/prod/tasks/translate returned status 401",
    ],
    [
      "a translation is empty",
      (path: string) =>
        path.endsWith("/health") ? healthy(path) : { status: 200, body: { output: { translated_text: "" } } },
      "translated_text",
    ],
  ])("fails when %s", async (_what, respond, reason) => {
    const { publicBaseUrl } = await serve(respond);
    await expect(checkService({ publicBaseUrl, readKey: async () => "operators" })).rejects.toThrow(reason);
  });
});
