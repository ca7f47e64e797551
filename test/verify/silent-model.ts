import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { createAccount } from "../load/accounts.ts";
import { listenOnLoopback } from "../support/loopback-server.ts";
import { oldestPython, python, pythonClients, tryClient } from "./clients.ts";
import { withLocalService } from "./local-service.ts";
import { type Part, verdictOf } from "./run-parts.ts";
import { buildGoClient, nodeClients } from "./tools.ts";

/** Longer than the pause after which the service writes the first comment into a stream. */
const silenceMilliseconds = 20_000;

const body = z.object({ stream: z.boolean().optional() });

const replyLate = async (response: ServerResponse, streams: boolean): Promise<void> => {
  await pause(silenceMilliseconds);
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
  const head = { id: "chatcmpl-1", created: 1, model: "silent" };
  const choice = { index: 0, finish_reason: "stop" };
  if (!streams) {
    response.setHeader("Content-Type", "application/json");
    const message = { role: "assistant", content: "Webale nnyo." };
    response.end(
      JSON.stringify({ ...head, object: "chat.completion", choices: [{ ...choice, message }], usage }),
    );
    return;
  }
  response.setHeader("Content-Type", "text/event-stream");
  const chunk = (rest: object): string =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...rest })}\n\n`;
  for (const content of ["Webale ", "nnyo", "."])
    response.write(
      chunk({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] }),
    );
  response.write(chunk({ choices: [{ ...choice, delta: {} }] }));
  response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
};

/** A server of a model that thinks for long. */
const startSilentModel = () =>
  listenOnLoopback(
    createServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      request.on("end", () => {
        if (request.method === "POST")
          return void replyLate(response, body.parse(JSON.parse(text)).stream === true);
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify({ object: "list", data: [{ id: "silent", object: "model" }] }));
      });
    }),
  );

/** Every client, the oldest supported version and the newest, waits for a model that is silent for twenty seconds. */
export const silentModelPart: Part = {
  name: "Clients of the OpenAI API and a model that is silent for 20 seconds",
  paths: ["functions/chat", "shared/models", "test/verify/clients"],
  run: () =>
    withTemporaryDirectory(async (directory) => {
      await nodeClients();
      const [newest, oldest] = [join(directory, "newest"), join(directory, "oldest")];
      const newPython = await python.tool("python");
      const oldPython = await oldestPython.tool("python");
      await buildGoClient(newest);
      await buildGoClient(oldest, "oldest");
      const model = await startSilentModel();
      try {
        return await withLocalService(
          async ({ url, directory: data }) => {
            const { token } = await createAccount(url, data);
            const variables = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token, SILENT: "1" };
            const script = join(import.meta.dirname, "clients/clients.py");
            const attempts = [
              ["clients for Node", 8, process.execPath, [join(import.meta.dirname, "clients/silent.mjs")]],
              ["openai-go", 1, newest, []],
              ["the oldest openai-go", 2, oldest, []],
              ...Object.keys(pythonClients).map((name) => [name, 1, newPython, [script, name]] as const),
              ["the oldest openai for Python", 1, oldPython, [script, "openai"]],
            ] as const;
            const results = await Promise.all(
              attempts.map(([client, min, program, args]) =>
                tryClient({ client, min, program, args, variables }),
              ),
            );
            const streams = results.flatMap(({ outcomes }) => outcomes).length;
            return verdictOf(
              results.flatMap(({ findings }) => findings),
              `${streams} streams wait, and then have the reply`,
            );
          },
          { CHAT_BASE_URL: `${model.url}/v1` },
        );
      } finally {
        await model.close();
      }
    }),
};
