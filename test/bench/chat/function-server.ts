/** The chat function alone, behind a plain HTTP server and many requests at a time. A process of its own. */
import { chatEndpoints } from "../../../functions/chat/endpoints.ts";
import { createOpenAiChatModels } from "../../../shared/models/inference/openai/chat-models.ts";
import { modelServer } from "../../support/model-servers.ts";
import { serveStreaming } from "../../support/streaming-server.ts";
import { resourceUse, serveParent } from "../child-process.ts";
import { mockModel } from "../compare/model-responses.ts";

const models = createOpenAiChatModels([
  modelServer(
    {
      baseUrl: process.env["CHAT_BASE_URL"] ?? "",
      apiKey: async () => undefined,
      silenceMilliseconds: 60_000,
    },
    mockModel,
    mockModel,
  ),
]);
const { url } = await serveStreaming(chatEndpoints({ models }));
serveParent(`${url}/tasks`, resourceUse);
