import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import {
  inRequestScope,
  openRequestScope,
  requestScope,
} from "../../../../shared/platform/telemetry/request-scope.ts";
import { chatRequest, nextStream, readStream as read, startStream } from "../../../support/chat-stream.ts";
import {
  type Behaviour,
  completion,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import {
  delta,
  finish,
  reasoning,
  role,
  sendEvents,
  startEvents,
  streaming,
  streamingOn,
  streamingThenBreaking,
  usage,
} from "../../../support/fake-stream.ts";
import { piecesOf } from "../../../support/sources.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const start = (options?: Parameters<typeof startStream>[1]) => startStream(backend, options);

/** Sends something every few milliseconds for ever, so that the connection is never silent. */
const dripping = (drop: string, status = 200, contentType = "text/event-stream", start = "") => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const behaviour: Behaviour = (response) => {
    response.writeHead(status, { "Content-Type": contentType });
    response.write(start + drop);
    const timer = setInterval(() => response.write(drop), 10);
    response.once("close", () => {
      clearInterval(timer);
      resolve();
    });
  };
  return { closed, behaviour };
};

const wholeReply = [role, delta("Oli "), delta("otya?"), finish(), usage, "[DONE]"];

describe("a streamed reply from a server of the OpenAI API", () => {
  it("is requested with the server's name of the model, and with token counts", async () => {
    backend.behave(streaming(...wholeReply));
    await read(await start({ request: { maxTokens: 50, topP: 0.9, stop: ["\n"] } }));
    expect(backend.received[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer the-key" },
    });
    expect(JSON.parse(backend.received[0]?.body ?? "")).toEqual({
      model: "small",
      messages: chatRequest.messages,
      temperature: 0.3,
      top_p: 0.9,
      max_tokens: 50,
      stop: ["\n"],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("is its texts, the finish and the token counts", async () => {
    backend.behave(streaming(...wholeReply));
    expect(await read(await start())).toEqual({
      text: "Oli otya?",
      last: [
        { type: "finish", finishReason: "stop" },
        { type: "usage", usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 } },
      ],
      error: undefined,
    });
  });

  it("is its text also when the bytes of a character come apart", async () => {
    backend.behave((response) => {
      startEvents(response);
      const bytes = Buffer.from(`data: ${delta("Ŋŋ 😀")}\n\ndata: ${finish()}\n\n`);
      const sendFrom = (start: number): void => {
        if (start >= bytes.length) response.end();
        else response.write(bytes.subarray(start, start + 7), () => sendFrom(start + 7));
      };
      sendFrom(0);
    });
    expect((await read(await start())).text).toBe("Ŋŋ 😀");
  });

  it.each([
    ["length", "length"],
    ["stop", "stop"],
    ["content_filter", "content_filter"],
    ["eos_token", "stop"],
  ])("reports the end that the server calls %s as %s", async (word, finishReason) => {
    backend.behave(streaming(delta("Oli"), finish(word), "[DONE]"));
    expect((await read(await start())).last).toEqual([{ type: "finish", finishReason }]);
  });

  it.each([
    ["without [DONE]", streaming(delta("Oli"), finish())],
    ["and then the connection breaks", streamingThenBreaking(delta("Oli"), finish())],
    ["and then the server falls silent", streamingOn(delta("Oli"), finish())],
    ["and then something else follows", streaming(delta("Oli"), finish(), '{"choices":[', "42", "[DONE]")],
    ["and then an event without end follows", streaming(delta("Oli"), finish(), "x".repeat(1_100_000))],
    ["after others", streaming(finish("length"), delta("Oli"), finish("null"), finish(), "[DONE]")],
  ])("is whole once the server has said why it ended, %s", async (_case, behaviour) => {
    backend.behave(behaviour);
    expect(await read(await start())).toEqual({
      text: "Oli",
      last: [{ type: "finish", finishReason: "stop" }],
      error: undefined,
    });
  });

  it("is the first of several that a server makes unasked, and nothing of the others", async () => {
    const other = (index: number) =>
      JSON.stringify({ choices: [{ index, delta: { content: "Gyebale" }, finish_reason: "length" }] });
    backend.behave(
      streaming(role, other(1), delta("Oli "), other(2), delta("otya?"), other(1), finish(), "[DONE]"),
    );
    expect(await read(await start())).toEqual({
      text: "Oli otya?",
      last: [{ type: "finish", finishReason: "stop" }],
      error: undefined,
    });
    const whole = completion("Oli otya?");
    const choices = [{ ...completion("Gyebale").choices[0], index: 1 }, ...whole.choices];
    backend.behave(responding(200, { ...whole, choices }));
    expect((await read(await start())).text).toBe("Oli otya?");
  });

  it("omits impossible token counts", async () => {
    const counts = { prompt_tokens: -1, completion_tokens: 3, total_tokens: -9 };
    backend.behave(
      streaming(delta("Oli"), finish(), JSON.stringify({ choices: [], usage: counts }), "[DONE]"),
    );
    expect((await read(await start())).last.at(-1)).toEqual({
      type: "usage",
      usage: { prompt_tokens: null, completion_tokens: 3, total_tokens: null },
    });
  });

  it("is also understood from a server that does not stream", async () => {
    backend.behave(responding(200, completion("<think>x</think> Oli otya?")));
    expect(await read(await start())).toMatchObject({ text: "Oli otya?", last: [{}, { type: "usage" }] });
  });

  it("leaves out what the model thought, in tags or in a field of its own", async () => {
    backend.behave(
      streaming(delta("<thi"), delta("nk>Hmm</"), delta("think>\n\nOli"), delta(" <b"), finish(), "[DONE]"),
    );
    expect((await read(await start())).text).toBe("Oli <b");
    backend.behave(streaming(reasoning("Hmm"), delta("Oli"), finish(), "[DONE]"));
    expect((await read(await start())).text).toBe("Oli");
  });

  it("holds back what a model thinks that thinks first, and nothing of what it says then", async () => {
    backend.behave(
      streaming(
        delta("Luganda, "),
        delta("I suppose.</th"),
        delta("ink>\n"),
        delta("Oli"),
        finish(),
        "[DONE]",
      ),
    );
    expect((await read(await start({ thinksFirst: true }))).text).toBe("Oli");
    backend.behave(streaming(delta("Luganda, I suppose"), finish("length"), "[DONE]"));
    expect((await read(await start({ thinksFirst: true }))).error).toMatchObject({
      message: expect.stringContaining("max_tokens"),
    });
    backend.behave(streaming(delta("Oli"), finish(), "[DONE]"));
    expect((await read(await start({ thinksFirst: true }))).text).toBe("Oli");
  });

  it("that showed a thought logs which model it was, and in which request", async () => {
    const scope = openRequestScope(60_000);
    let scopeOfWarning: unknown;
    const warn = vi.spyOn(logger, "warn").mockImplementation(() => {
      scopeOfWarning = requestScope();
    });
    try {
      const responding = nextStream(backend);
      const starting = inRequestScope(scope, () => start());
      const response = await responding;
      sendEvents(response, delta("Luganda."));
      const groups = piecesOf(await starting)[Symbol.asyncIterator]();
      await groups.next();
      sendEvents(response, delta("</think>Oli"), finish());
      // The connection may have been opened by another request, and the end comes during the wait.
      setTimeout(() => response.end("data: [DONE]\n\n"), 20);
      const rest: unknown[] = [];
      await inRequestScope(scope, async () => {
        for (let next = await groups.next(); !next.done; next = await groups.next()) rest.push(...next.value);
      });
      expect(rest).toMatchObject([{ type: "text-delta", text: "Oli" }, { type: "finish" }]);
      expect(warn.mock.calls.filter(([event]) => event === "chat.thought_shown")).toEqual([
        ["chat.thought_shown", { model: "small" }],
      ]);
      expect(scopeOfWarning).toBe(scope);
    } finally {
      scope.close();
      warn.mockRestore();
    }
  });

  it.each([
    ["in a tag", delta("<think>"), delta("</think>Oli")],
    ["in a field of its own", reasoning("Hmm"), delta("Oli")],
    ["in another server's field", reasoning("Hmm", "reasoning"), delta("Oli")],
  ])(
    "begins when the model does, be it with a thought %s, and not with the role",
    async (_case, thought, rest) => {
      const responding = nextStream(backend);
      let hasStarted = false;
      const starting = start({ silenceMilliseconds: 5_000 }).finally(() => {
        hasStarted = true;
      });
      const response = await responding;
      sendEvents(response, role);
      await sleep(50);
      expect(hasStarted).toBe(false);
      sendEvents(response, thought);
      const stream = await starting;
      sendEvents(response, rest, finish(), "[DONE]");
      response.end();
      expect((await read(stream)).text).toBe("Oli");
    },
  );
});

describe("before a streamed reply has started", () => {
  it.each([
    [
      "is loading",
      responding(503, { error: { code: 503, message: "Loading model" } }),
      "service_unavailable",
    ],
    ["is loading, inside a 200", responding(200, { error: "Model is loading" }), "service_unavailable"],
    [
      "is loading, inside a stream",
      streaming('{"error":{"message":"Loading model"}}'),
      "service_unavailable",
    ],
    ["is queueing", responding(200, { id: "job", status: "IN_QUEUE" }), "service_unavailable"],
    ["is busy", responding(429, { error: { message: "Too many requests" } }), "service_unavailable"],
    ["breaks every connection", resetting, "service_unavailable"],
    ["says nothing", hanging, "service_unavailable"],
    ["names the role and says nothing more", streamingOn(role), "service_unavailable"],
    ["fails", responding(500, "Internal Server Error"), "external_service_error"],
    ["refuses the request", responding(400, { error: { message: "too long" } }), "external_service_error"],
    ["reports an error", streaming(role, '{"error":{"message":"CUDA"}}', "[DONE]"), "external_service_error"],
    ["ends without an event", streaming(), "external_service_error"],
    ["ends with nothing but [DONE]", streaming("[DONE]"), "external_service_error"],
    ["returns an empty text", streaming(role, finish(), usage, "[DONE]"), "external_service_error"],
    ["sends a page", responding(200, "<html>hello</html>"), "external_service_error"],
    ["sends an empty completion", responding(200, completion("")), "external_service_error"],
  ])("the caller gets an error when the server %s", async (_case, behaviour, code) => {
    backend.behave(behaviour);
    await expect(start()).rejects.toMatchObject({ code });
  });

  it.each([
    ["comments", ": processing\n\n"],
    ["blank lines", "\n"],
    ["the role, again and again", `data: ${role}\n\n`],
    ["chunks without choices", 'data: {"choices":[]}\n\n'],
    ["parts of an event", "data: "],
  ])("a server that sends nothing but %s is abandoned when its time ends", async (_case, drop) => {
    const { closed, behaviour } = dripping(drop);
    backend.behave(behaviour);
    await expect(start({ silenceMilliseconds: 300 })).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("did not finish within 0.3 seconds"),
    });
    await closed;
  });

  it("a whole reply that comes drop by drop is abandoned as well, and so is a failure", async () => {
    for (const status of [200, 500]) {
      const { closed, behaviour } = dripping(" ", status, "application/json");
      backend.behave(behaviour);
      await expect(start({ silenceMilliseconds: 300 })).rejects.toMatchObject({
        code: "service_unavailable",
      });
      await closed;
    }
  });

  it("the caller learns when to come back to a model that is loading", async () => {
    backend.behave(responding(503, "loading model"));
    await expect(start()).rejects.toMatchObject({ retryAfterSeconds: 30 });
  });

  it("the server gets a second try, unseen by the caller", async () => {
    backend.behave(responding(503, "busy"), streaming(...wholeReply));
    expect((await read(await start())).text).toBe("Oli otya?");
    expect(backend.received).toHaveLength(2);
  });

  it("a token limit that leaves room for no reply is named as the reason", async () => {
    backend.behave(streaming(role, finish("length"), "[DONE]"));
    await expect(start()).rejects.toMatchObject({ message: expect.stringContaining("max_tokens") });
  });
});

describe("after a streamed reply has started", () => {
  it.each([
    ["reports an error", streaming(delta("Oli"), '{"error":{"message":"CUDA"}}', "[DONE]")],
    [
      "reports an error together with a chunk",
      streaming(delta("Oli"), '{"choices":[],"error":{"code":502}}'),
    ],
    ["ends with the word error", streaming(delta("Oli"), finish("error"), "[DONE]")],
    ["was aborted", streaming(delta("Oli"), finish("abort"), "[DONE]")],
    ["sends broken JSON", streaming(delta("Oli"), '{"choices":[', "[DONE]")],
    ["sends JSON that is no chunk", streaming(delta("Oli"), "42", "[DONE]")],
    ["ends without a word", streaming(delta("Oli"))],
    ["ends without a reason", streaming(delta("Oli"), "[DONE]")],
    ["does nothing but think", streaming(delta("<think>Oli"), finish(), "[DONE]")],
    ["sends an event without end", streaming(delta("Oli"), "x".repeat(1_100_000))],
  ])("it fails with external_service_error when the server %s", async (_case, behaviour) => {
    backend.behave(behaviour);
    const { text, error } = await read(await start());
    expect("Oli".startsWith(text)).toBe(true);
    expect(error).toMatchObject({ code: "external_service_error" });
  });

  it.each([
    ["falls silent", streamingOn(delta("Oli"))],
    ["breaks the connection", streamingThenBreaking(delta("Oli"))],
    ["says that it is loading", streaming(delta("Oli"), '{"error":"Model is loading"}')],
  ])("it fails with service_unavailable when the server %s", async (_case, behaviour) => {
    backend.behave(behaviour);
    expect(await read(await start())).toMatchObject({
      text: "Oli",
      error: { code: "service_unavailable" },
    });
  });

  it.each([
    ["comments", ": processing\n\n"],
    ["chunks without a word", `data: ${role}\n\n`],
  ])("it fails when the server continues with nothing but %s", async (_case, drop) => {
    const { closed, behaviour } = dripping(drop, 200, "text/event-stream", `data: ${delta("Oli")}\n\n`);
    backend.behave(behaviour);
    expect(await read(await start({ silenceMilliseconds: 300 }))).toMatchObject({
      text: "Oli",
      error: { code: "service_unavailable" },
    });
    await closed;
  });

  it("an event of type error is one, with any data", async () => {
    for (const data of ['{"message":"CUDA"}', "CUDA out of memory"]) {
      backend.behave((response) => {
        startEvents(response);
        sendEvents(response, delta("Oli"));
        response.end(`event: error\ndata: ${data}\n\n`);
      });
      expect((await read(await start())).error).toMatchObject({ code: "external_service_error" });
    }
  });
});
