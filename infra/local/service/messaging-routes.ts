import type { LocalAnswer, LocalRoutes, SqsServer } from "@language-ai/aws-stand-ins";
import type { MessagingPlatformServer } from "../messaging/platform-server.ts";

/** How long a look at the messages waits for answers that are on their way. */
const settleMilliseconds = 5_000;

/** Says whether every answer that was on its way had gone out: `true` or `false`. */
export const idleHeader = "X-Queue-Idle";

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): LocalAnswer => ({
  status: 200,
  headers: { "Content-Type": "application/json", ...headers },
  body: `${JSON.stringify(body, undefined, 2)}\n`,
});

/**
 * The local routes of the messaging platform's stand-in: what it would have passed on, and files that people send. With
 * `?wait=no` the first answers at once.
 */
export const messagingRoutes = (
  platform: MessagingPlatformServer,
  sqs: Pick<SqsServer, "isIdle" | "whenIdle"> | undefined,
): LocalRoutes => ({
  "GET /_local/messages": async ({ url = "" }) => {
    const query = new URL(url, "http://localhost").searchParams;
    // A worker function answers: what was sent a moment ago should have its answer.
    const isIdle = query.get("wait") === "no" ? sqs?.isIdle() : await sqs?.whenIdle(settleMilliseconds);
    return json(platform.sentMessages(), { [idleHeader]: String(isIdle ?? true) });
  },
  "POST /_local/media": async ({ headers }, body) =>
    json({ id: platform.addMedia(headers["content-type"] ?? "application/octet-stream", body) }),
});
