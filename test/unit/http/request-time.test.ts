import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { translateEndpoints } from "../../../functions/translate/endpoints.ts";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { createStreamingHandler } from "../../../shared/http/pipeline.ts";
import { Reply } from "../../../shared/http/response.ts";
import { createTranslator } from "../../../shared/models/inference/openai/translator.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { completion, type FakeBackend, responding, startFakeBackend } from "../../support/fake-backend.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { modelServer } from "../../support/model-servers.ts";
import { authorizedCaller, send } from "../../support/send.ts";
import { uncountedCharacters } from "../../support/uncounted-characters.ts";
import { unsureDetector } from "../../support/unsure-detector.ts";

const request = {
  path: "/tasks/translate",
  body: { source_language: "eng", target_language: "lug", text: "How are you?" },
  authorizer: authorizedCaller,
};

const withBackend = async (use: (backend: FakeBackend) => Promise<void>): Promise<void> => {
  const backend = await startFakeBackend();
  try {
    await use(backend);
  } finally {
    await backend.close();
  }
};

const endpointsOver = ({ baseUrl }: FakeBackend) =>
  translateEndpoints({
    characters: uncountedCharacters,
    sourceDetector: unsureDetector,
    translator: createTranslator([
      modelServer({ baseUrl, apiKey: async () => undefined, silenceMilliseconds: 1_000 }, "model"),
    ]),
  });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("a streamed response", () => {
  it("is aborted before the function's end, also when it is already being sent", async () => {
    stubStreamingRuntime();
    const operation = defineOperation({
      ...exampleOperation,
      method: "GET",
      path: "/example",
      auth: "public",
      limit: "delivery",
      response: { status: 200, description: "It", schema: z.string(), otherContentTypes: ["text/plain"] },
    });
    const untilAborted = endpoint(operation, ({ request: { signal } }) => {
      const body = async function* () {
        yield "begun, ";
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        yield "told";
      };
      return new Reply({ contentType: "text/plain", body: body() });
    });
    const event = lambdaEvent({ method: "GET", path: "/example" });
    const handler = createStreamingHandler([untilAborted]);
    const { body } = await invokeStreaming(handler, event, lambdaContext(1_200));
    expect(body).toBe("begun, told");
  });
});

describe("the line of a request in the log", () => {
  const lineOf = async (backend: FakeBackend) => {
    const info = vi.spyOn(logger, "info").mockImplementation(() => undefined);
    await send(endpointsOver(backend), request);
    return info.mock.calls.find(([event]) => event === "request.answered")?.[1];
  };

  it("reports how long the model took", () =>
    withBackend(async (backend) => {
      backend.behave((response, incoming) => {
        setTimeout(() => responding(200, completion("Oli otya?"))(response, incoming), 60);
      });
      const line = await lineOf(backend);
      expect(line?.["upstream_milliseconds"]).toBeGreaterThanOrEqual(50);
      expect(line?.["upstream_milliseconds"]).toBeLessThanOrEqual(Number(line?.["milliseconds"]) + 1);
    }));
});
