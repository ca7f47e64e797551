import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { type Behaviour, completion, resetting, responding } from "./fake-backend.ts";
import { runHere } from "./run-here.ts";
import { runService } from "./run-service.ts";
import { audioBytes, wavFile } from "./wav.ts";

/** Contained in everything that a caller, a model or another outside party says; no log line may contain it. */
export const canary = "Kanari9x";

/** The account that {@link CanaryService.signUp} makes: its name, address and password are the canary's. */
export const canaryAccount = {
  username: `${canary}-user`,
  email: `${canary}@example.com`,
  password: `${canary} sings by the lake`,
};

const logLine = z.object({ message: z.string(), operation: z.string().optional() }).loose();
export type LogLine = z.infer<typeof logLine>;

/** The canary wherever it may begin in bytes that are written in base64, as bodies and Basic credentials are. */
const canaryInBase64 = [0, 1, 2].map((before) =>
  Buffer.from("x".repeat(before) + canary)
    .toString("base64")
    .slice(Math.ceil((before * 4) / 3), Math.floor(((before + canary.length) * 4) / 3)),
);

/** What lets its bearer in: a token's claims and its signature, each for itself, a key, and the signature of a link. */
const secretsIn = (text: string): string[] =>
  [/eyJ[\w-]+\.([\w-]+)\.([\w-]+)/g, /X-Amz-Signature=(\w+)/g, /"key":"lai_(\w{20})/g].flatMap((secret) =>
    [...text.matchAll(secret)].flatMap((match) => match.slice(1)),
  );

const sentMail = z.object({ Content: z.object({ Raw: z.object({ Data: z.string() }) }) });

/** The secret of the link in each mail that the mail service was given; the mails are quoted-printable. */
export const linkSecretsIn = (mails: readonly { readonly body: string }[]): string[] =>
  mails.flatMap(({ body }) => {
    const { Content } = sentMail.parse(JSON.parse(body));
    const text = Buffer.from(Content.Raw.Data, "base64").toString();
    const secret = /token=([\w-]{43})/.exec(text.replaceAll("=\r\n", "").replaceAll("=3D", "="));
    return secret ? secret.slice(1) : [];
  });

/** The logger's own fields, and those by which a line is found. */
const fieldsOfEveryLine = ["level", "message", "timestamp", "service", "request_id", "xray_trace_id"];

/**
 * All fields of the described events that may be logged with any value: ids, codes and figures. A field that is not
 * among them fails the tests of the log, so that a new field is reviewed first.
 */
const knownFields: ReadonlySet<string> = new Set([
  ...fieldsOfEveryLine,
  ...[
    "operation",
    "account_id",
    "key_id",
    "entry_point",
    "trace",
    "trace_id",
    "span_id",
    "parent_span_id",
    "gateway_request_id",
    "queue_message_id",
    "tries",
    "dead_lettered",
    "kind",
  ],
  ...[
    "status",
    "used",
    "replayed",
    "code",
    "reason",
    "outcome",
    "ended",
    "finding",
    "mode",
    "task",
    "sure",
    "limit_class",
    "secret",
    "server",
    "model_server",
    "words",
    "language",
  ],
  ...["backend", "host", "bytes", "count", "index", "seconds", "retry_seconds"],
  ...[
    "_aws",
    "milliseconds",
    "own_milliseconds",
    "upstream_milliseconds",
    "client_error",
    "server_error",
    "faults",
    "function_version",
    "cold_start",
  ],
]);

/** A line without what a model's server says of its own accord, which may be logged, unlike what it repeats of a request. */
const withoutServerWords = (line: string): string =>
  line.includes('"message":"model.refused"') ? line.replace(`"words":"${canary}"`, "") : line;

/** Of models' servers and the messaging platform; each is named by what it does. */
const fieldOfBackend = /^[a-z_]+_(milliseconds|failures|circuit_opened)$/;

/** The service, with everything logged that it can log, and a client of it that has the canary in its head. */
export type CanaryService = Awaited<ReturnType<typeof startCanaryService>>;

/**
 * Starts the service with a canary for each of its keys.
 *
 * @param variables further ones, such as the addresses of other servers.
 */
export const startCanaryService = async (variables: Readonly<Record<string, string>>) => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-canary-"));
  const service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    LOG_LEVEL: "DEBUG",
    CHAT_API_KEY: `${canary}-key`,
    MESSAGING_VERIFY_TOKEN: `${canary}-verify-token`,
    MESSAGING_APP_SECRET: `${canary}-app-secret`,
    MESSAGING_ACCESS_TOKEN: `${canary}-access-token`,
    ...variables,
  });
  let token = "none";
  const secrets = new Set<string>();

  const send = async (
    path: string,
    body?: string | URLSearchParams | FormData,
    { headers = {}, method = "POST" }: { headers?: Record<string, string>; method?: string } = {},
  ) => {
    const response = await fetch(`${service.url}${path}${path.includes("?") ? "&" : "?"}trace=${canary}`, {
      method,
      ...(body === undefined ? {} : { body }),
      headers: {
        Authorization: `Bearer ${token}`,
        "User-Agent": `${canary}/1.0`,
        Cookie: `session=${canary}`,
        "X-Forwarded-For": canary,
        Referer: `https://example.com/${canary}`,
        traceparent: `00-${canary}`,
        ...headers,
      },
    });
    const text = await response.text();
    for (const secret of secretsIn(text)) secrets.add(secret);
    return { status: response.status, text };
  };
  const sendJson = (path: string, body: unknown, method = "POST") =>
    send(path, JSON.stringify(body), { method, headers: { "Content-Type": "application/json" } });

  const signIn = async (password: string): Promise<number> => {
    const { username } = canaryAccount;
    const { status, text } = await send("/auth/token", new URLSearchParams({ username, password }));
    if (status === 200) token = z.object({ access_token: z.string() }).parse(JSON.parse(text)).access_token;
    return status;
  };

  /** What the functions wrote; the local service puts the function's name in front of each line. */
  const printed = (): string[] =>
    service
      .output()
      .split("\n")
      .filter((line) => line.includes(" | "));

  /** The structured lines among them. */
  const lines = (): LogLine[] =>
    printed().flatMap((line) => {
      const json = /\| (\{.+\})$/.exec(line)?.[1];
      return json === undefined ? [] : [logLine.parse(JSON.parse(json))];
    });

  return {
    url: service.url,
    send,
    sendJson,
    /** Makes a key of the account. @returns its text, which is one of the secrets from now on. */
    makeKey: async (choices: object = {}) => {
      const { text } = await sendJson("/auth/keys", { name: "a program", ...choices });
      return z.object({ key: z.string() }).parse(JSON.parse(text)).key;
    },
    signIn,
    /** Makes the account, lets it ask as often as it likes, and signs it in. */
    signUp: async () => {
      const { status, text } = await sendJson("/auth/register", canaryAccount);
      if (status >= 300) throw new Error(`The account was refused: ${text}`);
      await runHere("infra/commands/account.ts", [canaryAccount.username, "--type", "Admin"], {
        DATA_DIR: folder,
      });
      if ((await signIn(canaryAccount.password)) !== 200) throw new Error("The account cannot sign in.");
    },
    printed,
    lines,
    /** The fields of structured lines that no described event has. */
    unknownFields: (): Set<string> =>
      new Set(
        lines().flatMap((line) =>
          Object.keys(line)
            .filter((field) => !knownFields.has(field) && !fieldOfBackend.test(field))
            .map((field) => `${line.message}: ${field}`),
        ),
      ),
    /** Every secret in a response so far. */
    secrets,
    /**
     * The lines that contain what no line may, for any event: the canary in any case or in base64, a secret from any
     * response, or a password's hash.
     *
     *
     * @param further secrets that were sent by other means than a response.
     */
    leaks: (further: readonly string[] = []): string[] => {
      const forbidden = [...canaryInBase64, ...secrets, ...further, "$argon2"];
      return printed()
        .map(withoutServerWords)
        .filter(
          (line) =>
            line.toLowerCase().includes(canary.toLowerCase()) ||
            forbidden.some((secret) => line.includes(secret)),
        );
    },
    stop: async () => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** A model's server that does each task with the canary's words. */
export const speakingOfCanary: Behaviour = (response, request) => {
  if (request.url?.endsWith("/audio/transcriptions"))
    return responding(200, { text: `${canary} was heard` })(response, request);
  if (!request.url?.endsWith("/audio/speech"))
    return responding(200, completion(`${canary} says hello`))(response, request);
  response.writeHead(200, { "Content-Type": "audio/wav" });
  response.end(wavFile(audioBytes(4_800), { comment: canary }));
};

/** The ways in which a model's server fails and says the canary; last those after which its circuit opens. */
export const failingWithCanary: readonly Behaviour[] = [
  responding(200, `${canary} is no JSON`),
  responding(200, { error: { message: canary } }),
  responding(400, { error: { message: canary } }),
  responding(200, `data: {"broken": "${canary}\n\n`, { "Content-Type": "text/event-stream" }),
  responding(500, `<html>${canary}</html>`),
  resetting,
];
