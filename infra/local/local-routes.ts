import { text } from "node:stream/consumers";
import type {
  InvocationResult,
  LocalApplication,
  LocalModel,
  LocalResponse,
  LocalRoutes,
  SqsServer,
} from "@language-ai/aws-stand-ins";
import { operations } from "../../functions/manifest.ts";
import { wantsPage } from "../../shared/http/html.ts";
import type { Operation } from "../../shared/http/operation.ts";
import { featureOf, invokeFeature } from "./functions.ts";
import { type LocalLink, linksPage, mailPage, messagesPage } from "./local-pages.ts";
import type { MessagingPlatformServer } from "./messaging/platform-server.ts";
import { functionPath, idleHeader, instancePath } from "./running-service.ts";

/** How long a look at the mails or the messages waits for those that are on their way. */
const shutdownMilliseconds = 5_000;

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): LocalResponse => ({
  status: 200,
  headers: { "Content-Type": "application/json", ...headers },
  body: `${JSON.stringify(body, undefined, 2)}\n`,
});

const describeRoutes = (model: LocalModel) => {
  const features = new Map(model.functions.map((definition) => [definition.name, featureOf(definition)]));
  return model.restApi.routes.flatMap(({ method, path, operationName, integration, authorizer }) => {
    // HEAD is no operation of its own: it is answered wherever GET is.
    if (integration.type !== "lambda" || method === "HEAD") return [];
    // By name: a stage decides what the providers are called in paths.
    const operation: Operation | undefined = operations.find(({ id }) => id === operationName);
    return {
      method,
      path,
      function: features.get(integration.functionName) ?? integration.functionName,
      auth: operation?.auth ?? (authorizer ? "user" : "public"),
      stream: integration.transferMode === "stream",
      deprecated: operation?.deprecated !== undefined,
    };
  });
};

/**
 * The local routes of the messaging platform's stand-in: what it would have passed on, and files that people send. With
 * `?wait=no` the first answers at once.
 */
const messagingRoutes = (
  platform: MessagingPlatformServer,
  sqs: Pick<SqsServer, "isIdle" | "whenIdle"> | undefined,
  home: string,
): LocalRoutes => ({
  "GET /_local/messages": async ({ url = "", headers }) => {
    const query = new URL(url, "http://localhost").searchParams;
    // A worker function answers: what was sent a moment ago should have its answer.
    const isIdle = query.get("wait") === "no" ? sqs?.isIdle() : await sqs?.whenIdle(shutdownMilliseconds);
    if (wantsPage(headers.accept)) return messagesPage(platform.sentMessages(), home);
    return json(platform.sentMessages(), { [idleHeader]: String(isIdle ?? true) });
  },
  "POST /_local/media": async ({ headers }, body) =>
    json({ id: platform.addMedia(headers["content-type"] ?? "application/octet-stream", body) }),
});

/** What there is on this machine for people to look at; addresses begin with the path of the service's own. */
const linksOf = (base: string, hasPlatform: boolean): LocalLink[] => [
  { target: `${base}/`, words: "The console", note: "Sign up, log in, keys, usage, playground." },
  { target: `${base}/docs`, words: "Documentation", note: "Guides, and every operation with code." },
  { target: `${base}/_local/mail`, words: "Mails", note: "What would have been sent, with its links." },
  ...(hasPlatform
    ? [{ target: `${base}/_local/messages`, words: "Messages", note: "What the assistant has answered." }]
    : []),
  { target: `${base}/_local/routes`, words: "Routes", note: "Every route with its function, as JSON." },
  { target: `${base}/openapi.json`, words: "OpenAPI document", note: "The API's description, as JSON." },
];

/** The routes under `/_local`: what is served, what would have left the machine. They exist nowhere but here. */
export const localRoutes = (
  application: LocalApplication,
  instance: string,
  platform: MessagingPlatformServer | undefined,
): LocalRoutes => {
  const { model, standIns, url, functionUrls } = application;
  const invoke = invokeFeature(application);
  const base = new URL(url).pathname.replace(/\/$/, "");
  const home = `${base}/_local`;
  const links = linksOf(base, platform !== undefined);
  return {
    "GET /_local": async ({ headers }) =>
      wantsPage(headers.accept) ? linksPage(links, home) : json({ places: links }),
    [`GET ${instancePath}`]: async () => json({ instance }),
    "GET /_local/routes": async () =>
      json({
        base_url: url,
        chat_stream_url: [...functionUrls.values()][0] ?? null,
        routes: describeRoutes(model),
      }),
    "GET /_local/mail": async ({ headers }) => {
      // Mails are written by a worker function: what was asked for a moment ago should be seen.
      await standIns.sqs?.whenIdle(shutdownMilliseconds);
      const mails = standIns.ses?.sentMail() ?? [];
      return wantsPage(headers.accept) ? mailPage(mails, home) : json(mails);
    },
    ...(platform ? messagingRoutes(platform, standIns.sqs, home) : {}),
    ...Object.fromEntries(
      model.functions.map(featureOf).map((feature) => [
        `POST ${functionPath(feature)}`,
        async (_request: unknown, body: Buffer): Promise<LocalResponse> => {
          const { ok, printed } = await printInvocation(
            await invoke(feature, JSON.parse(body.toString("utf8"))),
          );
          return {
            status: ok ? 200 : 502,
            headers: { "Content-Type": "text/plain; charset=utf-8" },
            body: printed,
          };
        },
      ]),
    ),
  };
};

/** What a function returned, as one text. A streamed response is its metadata and its body, apart by a line break. */
export const printInvocation = async (
  result: InvocationResult,
): Promise<{ ok: boolean; printed: string }> => {
  switch (result.kind) {
    case "buffered":
      return { ok: true, printed: result.payload.toString("utf8") };
    case "error":
      return {
        ok: false,
        printed: JSON.stringify({ errorType: result.errorType, errorMessage: result.errorMessage }),
      };
    case "stream": {
      const whole = await text(result.body);
      return { ok: result.failure() === undefined, printed: whole.replace("\0".repeat(8), "\n") };
    }
  }
};
