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
import type { LocalLink } from "./local-page.ts";
import { localPage, readColours } from "./local-pages.ts";
import type { MessagingPlatformServer } from "./messaging/platform-server.ts";
import { functionPath, idleHeader, instancePath } from "./running-service.ts";

/** How long a request for mails or messages waits for queued ones. */
const maxWaitMilliseconds = 5_000;

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): LocalResponse => ({
  status: 200,
  headers: { "Content-Type": "application/json", ...headers },
  body: `${JSON.stringify(body, undefined, 2)}\n`,
});

const describeRoutes = (model: LocalModel) => {
  const features = new Map(model.functions.map((definition) => [definition.name, featureOf(definition)]));
  return model.restApi.routes.flatMap(({ method, path, operationName, integration, authorizer }) => {
    // HEAD is not an operation of its own: it exists for every GET.
    if (integration.type !== "lambda" || method === "HEAD") return [];
    // By id, because a stage chooses the providers' names in paths.
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
 * The local routes of the messaging platform's stand-in: the messages it would have sent, and files that people send. With
 * `?wait=no` the first responds at once.
 */
const messagingRoutes = (
  platform: MessagingPlatformServer,
  sqs: Pick<SqsServer, "isIdle" | "whenIdle"> | undefined,
  base: string,
): LocalRoutes => ({
  "GET /_local/messages": async ({ url = "", headers }) => {
    const query = new URL(url, "http://localhost").searchParams;
    // A worker function writes the replies: a message that was just sent should have its reply.
    const isIdle = query.get("wait") === "no" ? sqs?.isIdle() : await sqs?.whenIdle(maxWaitMilliseconds);
    const messages = platform.sentMessages();
    if (wantsPage(headers.accept)) return localPage({ kind: "messages", messages }, base);
    return json(messages, { [idleHeader]: String(isIdle ?? true) });
  },
  "POST /_local/media": async ({ headers }, body) =>
    json({ id: platform.addMedia(headers["content-type"] ?? "application/octet-stream", body) }),
});

/** The links of the first page. */
const linksTo = (base: string, hasPlatform: boolean): LocalLink[] => [
  { target: `${base}/`, words: "The console", note: "Sign up, log in, keys, usage, playground." },
  { target: `${base}/docs`, words: "Documentation", note: "Guides, and every operation with code." },
  {
    target: `${base}/_local/mail`,
    words: "Mails",
    note: "Mails that would have been sent, with their links.",
  },
  ...(hasPlatform
    ? [{ target: `${base}/_local/messages`, words: "Messages", note: "The assistant's replies." }]
    : []),
  {
    target: `${base}/_local/components`,
    words: "Components",
    note: "The components of pages, in every state.",
  },
  { target: `${base}/_local/routes`, words: "Routes", note: "Every route with its function, as JSON." },
  { target: `${base}/openapi.json`, words: "OpenAPI document", note: "The API's description, as JSON." },
];

/** The routes under `/_local`, which only the service on this machine has. */
export const localRoutes = (
  application: LocalApplication,
  instance: string,
  platform: MessagingPlatformServer | undefined,
): LocalRoutes => {
  const { model, standIns, url, functionUrls } = application;
  const invoke = invokeFeature(application);
  const base = new URL(url).pathname.replace(/\/$/, "");
  const links = linksTo(base, platform !== undefined);
  return {
    "GET /_local": async ({ headers }) =>
      wantsPage(headers.accept) ? localPage({ kind: "home", links }, base) : json({ places: links }),
    "GET /_local/components": async () =>
      localPage({ kind: "components", colours: await readColours() }, base),
    [`GET ${instancePath}`]: async () => json({ instance }),
    "GET /_local/routes": async () =>
      json({
        base_url: url,
        chat_stream_url: [...functionUrls.values()][0] ?? null,
        routes: describeRoutes(model),
      }),
    "GET /_local/mail": async ({ headers }) => {
      // A worker function writes mails: one that was just requested should appear.
      await standIns.sqs?.whenIdle(maxWaitMilliseconds);
      const mails = standIns.ses?.sentMail() ?? [];
      return wantsPage(headers.accept) ? localPage({ kind: "mail", mails }, base) : json(mails);
    },
    ...(platform ? messagingRoutes(platform, standIns.sqs, base) : {}),
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

/** Returns a function's result as text. For a streamed response these are its metadata, a line break and its body. */
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
