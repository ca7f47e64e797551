import { basename } from "node:path";
import type { InvocationResult, LocalAnswer, LocalModel, LocalRoutes } from "@language-ai/aws-stand-ins";
import { operations } from "../../../functions/manifest.ts";
import type { Operation } from "../../../shared/http/operation.ts";
import type { MessagingPlatformServer } from "../messaging/platform-server.ts";
import type { EmbeddedServices } from "./embedded-services.ts";
import { messagingRoutes } from "./messaging-routes.ts";
import { invocationAnswer } from "./print-invocation.ts";

/** How long a look at the mail waits for mails that are on their way. */
const settleMilliseconds = 5_000;

/** Where a function can be invoked with an event of one's own; the shape is that of Lambda's API. */
export const functionPath = (feature: string): string => `/_local/functions/${feature}/invocations`;

/** The feature's name of each function, as in the manifest, by the name the templates give it. */
export const featureNames = (model: LocalModel): Map<string, string> =>
  new Map(model.functions.map(({ name, assetDirectory }) => [name, basename(assetDirectory)]));

const json = (body: unknown): LocalAnswer => ({
  status: 200,
  headers: { "Content-Type": "application/json" },
  body: `${JSON.stringify(body, undefined, 2)}\n`,
});

const describeRoutes = (model: LocalModel) => {
  const features = featureNames(model);
  return model.restApi.routes.flatMap(({ method, path, operationName, integration, authorizer }) => {
    if (integration.type !== "lambda") return [];
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

/** What the local routes show and use. */
export interface LocalRoutesOptions {
  readonly model: LocalModel;
  readonly services: Pick<EmbeddedServices, "ses" | "sqs">;
  readonly baseUrl: string;
  readonly chatStreamUrl: string | undefined;
  readonly platform: MessagingPlatformServer | undefined;
  /** Invokes a function by its feature's name. */
  readonly invoke: (feature: string, event: unknown) => Promise<InvocationResult>;
}

/** The routes under `/_local`: what is served, what would have left the machine. They exist nowhere but here. */
export const localRoutes = ({
  model,
  services,
  baseUrl,
  chatStreamUrl,
  platform,
  invoke,
}: LocalRoutesOptions): LocalRoutes => ({
  "GET /_local/routes": async () =>
    json({ base_url: baseUrl, chat_stream_url: chatStreamUrl ?? null, routes: describeRoutes(model) }),
  "GET /_local/mail": async () => {
    // Mails are written by a worker function: what was asked for a moment ago should be seen.
    await services.sqs?.whenIdle(settleMilliseconds);
    return json(services.ses?.sentMail() ?? []);
  },
  ...(platform ? messagingRoutes(platform, services.sqs) : {}),
  ...Object.fromEntries(
    [...featureNames(model).values()].map((feature) => [
      `POST ${functionPath(feature)}`,
      async (_request: unknown, body: Buffer): Promise<LocalAnswer> => {
        const { ok, answer } = await invocationAnswer(
          await invoke(feature, JSON.parse(body.toString("utf8"))),
        );
        return {
          status: ok ? 200 : 502,
          headers: { "Content-Type": "text/plain; charset=utf-8" },
          body: answer,
        };
      },
    ]),
  ),
});
