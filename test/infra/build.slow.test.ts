import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { dictionary } from "@zxcvbn-ts/language-common";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionDefinitions } from "../../functions/manifest.ts";
import type { BuildResult } from "../../infra/build.ts";
import { writeChangedFile } from "../../infra/bundling/bundle-files.ts";
import { bundleOptions, projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { removeDocumentation } from "../../infra/bundling/without-documentation.ts";
import { productionPackages } from "../../infra/commands/production-packages.ts";
import lockFile from "../../package-lock.json" with { type: "json" };
import { builtService } from "../support/build-functions.ts";
import { limitsText } from "../support/limits-text.ts";

const run = promisify(execFile);
const entry = "test/infra/fixtures/mail-and-storage.ts";

/** A value for each variable that a function declares. */
const variables = {
  TABLE_NAME: "table",
  TOKEN_SECRET_ID: "token-signing-key",
  SECOND_FACTOR_SECRET_ID: "second-factor-key",
  TOKEN_LIFETIME_DAYS: "7",
  LIMITS: limitsText,
  CALLBACK_QUEUE_URL: "http://127.0.0.1:9/callbacks.fifo",
  JOB_QUEUE_URL: "http://127.0.0.1:9/jobs.fifo",
  JOB_PIECES_AT_ONCE: "2",
  JOB_FAILS_AFTER_SECONDS: "600",
  JOB_WAITS_SECONDS: "86400",
  MAIL_QUEUE_URL: "http://127.0.0.1:9/mail.fifo",
  MAIL_DEAD_LETTER_QUEUE_URL: "http://127.0.0.1:9/mail-failed.fifo",
  CALLBACK_DEAD_LETTER_QUEUE_URL: "http://127.0.0.1:9/callbacks-failed.fifo",
  JOB_DEAD_LETTER_QUEUE_URL: "http://127.0.0.1:9/jobs-failed.fifo",
  MAIL_FROM: "no-reply@example.com",
  MAIL_CONFIGURATION_SET: "configuration",
  EXPORT_QUEUE_URL: "http://127.0.0.1:9/exports.fifo",
  STAGE_NAME: "local",
  TERMS_VERSION: "2026-11-24",
  LOG_RETENTION_DAYS: "1",
  PUBLIC_BASE_URL: "http://127.0.0.1:3000",
  CHAT_STREAM_URL: "http://127.0.0.1:9/",
  VISITOR_TRIES_PER_DAY: "3",
  CHAT_BASE_URL: "http://127.0.0.1:9/v1",
  CHAT_MODELS: '["chat-14b","chat-9b"]',
  CHAT_TIMEOUT_MS: "1000",
  TRANSLATION_BASE_URL: "http://127.0.0.1:9/v1",
  TRANSLATION_MODEL: "chat-9b",
  TRANSLATION_TIMEOUT_MS: "1000",
  TRANSCRIPTION_BASE_URL: "http://127.0.0.1:9/v1",
  TRANSCRIPTION_MODEL: "stt-51",
  TRANSCRIPTION_TIMEOUT_MS: "1000",
  TRANSCRIPTION_FEATURES: '{"detectsLanguages":false,"distinguishesSpeakers":false}',
  SPEECH_BASE_URL: "http://127.0.0.1:9/v1",
  SPEECH_MODEL: "tts-3b",
  SPEECH_PLATFORM: "language-ai",
  SPEECH_TIMEOUT_MS: "1000",
  SPEECH_LIFETIME_DAYS: "30",
  BUCKET_NAME: "audio",
  IDENTITY_PROVIDERS: "[]",
  IDENTITY_PROVIDERS_SECRET_ID: "identity-providers",
  CANARY_SECRET_ID: "canary",
  INFERENCE_KEYS_SECRET_ID: "inference-keys",
  MESSAGE_QUEUE_URL: "http://127.0.0.1:9/messages.fifo",
  MESSAGE_DEAD_LETTER_QUEUE_ARN: "arn:aws:sqs:us-east-1:000000000000:dead-letters.fifo",
  MESSAGING_SECRET_ID: "messaging-secrets",
  MESSAGING_SIGNATURE_MODE: "enforce",
  MESSAGING_API_URL: "http://127.0.0.1:9",
  MESSAGING_API_VERSION: "v26.0",
  LEGACY_VENDORS: '{"a":"modal","b":"runpod"}',
  LEGACY_SUNSET: "2026-12-01",
  LEGACY_PROVIDER_ROUTES: "answer",
  CONSOLE_LANGUAGES: "en",
};

let directory: string;
let bundle: string;
let metafile: Metafile;
let service: BuildResult;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "language-ai-build-"));
  bundle = join(directory, "sample", "index.mjs");
  ({ metafile } = await build(bundleOptions({ sample: entry }, directory)));
  service = await builtService(join(directory, "service"));
});
afterAll(() => rm(directory, { recursive: true }));

describe("A bundle", () => {
  it("runs in a plain Node, with the AWS SDK, CommonJS dependencies and every kind of built-in import", async () => {
    const script = `import(${JSON.stringify(bundle)})
      .then(({ handler }) => handler({ subject: "Webale" }))
      .then((result) => console.log(JSON.stringify(result)));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: directory });
    expect(JSON.parse(stdout)).toMatchObject({
      bucketCommand: { Bucket: "bucket", Key: "key" },
      sdkError: "NoSuchKey",
      region: "us-east-1",
      mail: expect.stringContaining("Subject: Webale"),
      isEmitter: true,
      base: "b.wav",
      stat: "function",
      error: "StorageTrouble",
    });
  });

  it("holds all it needs, and takes built-in modules without importing them", async () => {
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    // What is imported when it is used: built-in modules, and a module that is never used.
    const others = imports.filter(({ kind, path }) => kind !== "dynamic-import" || !isBuiltin(path));
    expect([...new Set(others.map(({ path }) => path))]).toEqual(["@smithy/core/event-streams"]);
    const code = await readFile(bundle, "utf8");
    expect(code.includes('process.getBuiltinModule("node:http")')).toBe(true);
    // What esbuild leaves behind for a `require` that it could not resolve.
    expect(code.includes("Dynamic require of")).toBe(false);
  });

  it("does not load Node's second HTTP client on the way", async () => {
    const script = `await import(${JSON.stringify(bundle)});
      console.log(process.moduleLoadList.some((name) => name.includes("undici")));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout.trim()).toBe("false");
  });

  it("has a source map that names the sources without repeating them", async () => {
    const map: unknown = JSON.parse(await readFile(`${bundle}.map`, "utf8"));
    expect(map).toMatchObject({ sources: expect.arrayContaining([expect.stringContaining(entry)]) });
    expect(map).not.toHaveProperty("sourcesContent");
  });

  it("logs an error with the lines of its sources", async () => {
    const script = `
      globalThis.awslambda = { streamifyResponse: (handler) => handler };
      const { handler } = await import(${JSON.stringify(join(service.directory, "authorizer/index.mjs"))});
      await handler({ headers: { authorization: "Bearer a.b.c" }, methodArn: "arn/stage/GET/" }, {}).catch(() => {});`;
    const env = { ...variables, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
    const [line = ""] = stdout.split("\n").filter((one) => one.includes("authorizer.failed"));
    expect(JSON.parse(line)).toMatchObject({
      reason: {
        stack: expect.arrayContaining([
          expect.stringMatching(/shared\/platform\/outbound\/aws-json\.ts:\d+:\d+/),
        ]),
      },
    });
  });

  it("refuses the same common passwords as the list that it leaves out", async () => {
    const outdir = join(directory, "passwords");
    await build(bundleOptions({ registration: "shared/accounts/sign-in/registration.ts" }, outdir));
    const script = `import { newPassword } from ${JSON.stringify(join(outdir, "registration/index.mjs"))};
      process.stdin.setEncoding("utf8");
      let text = "";
      for await (const part of process.stdin) text += part;
      console.log(JSON.stringify(JSON.parse(text).filter((one) => newPassword.safeParse(one).success)));`;
    const child = run(process.execPath, ["--input-type=module", "-e", script]);
    child.child.stdin?.end(JSON.stringify([...dictionary["passwords-common"], "seven storks by the lake"]));
    expect(JSON.parse((await child).stdout)).toEqual(["seven storks by the lake"]);
  });

  it("is left untouched by a build that changes nothing", async () => {
    const { ino, mtimeMs } = await stat(bundle);
    await build(bundleOptions({ sample: entry }, directory));
    expect(await stat(bundle)).toMatchObject({ ino, mtimeMs });
  });
});

describe("The service's functions", () => {
  it("are all built, and start with the variables they declare", async () => {
    const script = `
      globalThis.awslambda = { streamifyResponse: (handler) => handler };
      for (const name of ${JSON.stringify(functionDefinitions.map(({ name }) => name))}) {
        const { handler } = await import(${JSON.stringify(service.directory)} + "/" + name + "/index.mjs");
        console.log(name, typeof handler);
      }`;
    const env = { ...variables, AWS_REGION: "us-east-1", LOG_LEVEL: "SILENT" };
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
    expect(stdout.trim().split("\n")).toEqual(functionDefinitions.map(({ name }) => `${name} function`));
    expect(JSON.parse(await readFile(join(service.directory, "../metafile.json"), "utf8"))).toEqual(
      service.metafile,
    );
  });
});

/** The sources of each file of a function. */
const sourcesOf = (name: string): Map<string, readonly string[]> =>
  new Map(
    Object.entries(service.metafile.outputs).flatMap(([path, { inputs }]) =>
      path.endsWith(".mjs") && basename(dirname(path)) === name
        ? [[basename(path), Object.keys(inputs)]]
        : [],
    ),
  );

describe("A function with further endpoints", () => {
  const named = functionDefinitions
    .map(({ name }) => name)
    .filter((name) => existsSync(join(projectDirectory, "functions", name, "further-endpoints.ts")));

  it.each(named)("loads them from a file of their own, and little else: %s", (name) => {
    const sources = sourcesOf(name);
    expect([...sources.keys()].toSorted()).toEqual(["chunk.mjs", "further-endpoints.mjs", "index.mjs"]);
    expect(sources.get("index.mjs")).toContain(`functions/${name}/handler.ts`);
    expect(sources.get("further-endpoints.mjs")).toContain(`functions/${name}/further-endpoints.ts`);
    expect(sources.get("chunk.mjs")).not.toContain(`functions/${name}/further-endpoints.ts`);
  });
});

describe("The bundle of each function", () => {
  const packagesOf = (name: string): Set<string> => {
    const inputs = [...sourcesOf(name).values()].flat();
    expect(inputs).not.toEqual([]);
    return new Set(inputs.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  };

  it.each(functionDefinitions)(
    "$name holds nothing but what the service itself depends on, so no other licence",
    ({ name }) => {
      const production = new Set(
        [...productionPackages(lockFile)].map((folder) => folder.replace(/.*node_modules\//, "")),
      );
      const used = [...packagesOf(name)];
      expect(used).not.toEqual([]);
      expect(used.filter((one) => !production.has(one))).toEqual([]);
    },
  );

  it.each(functionDefinitions.filter(({ name }) => name !== "mail"))(
    "of $name loads no client of the SDK, which costs more than half of a start",
    ({ name }) => {
      // Of its core, the store uses two functions, and links the signature.
      const allowed = /^@aws-sdk\/util-dynamodb$|^@smithy\/core$/;
      const signsLinks = ["auth", "console", "jobs", "legacy", "mcp", "speech", "upload"].includes(name);
      const forLinks =
        /^@aws-sdk\/(?:s3-request-presigner|signature-v4-multi-region)$|^@smithy\/signature-v4$/;
      const foreign = [...packagesOf(name)].filter(
        (used) =>
          /^@smithy\/|^@aws-sdk\//.test(used) && !allowed.test(used) && !(signsLinks && forLinks.test(used)),
      );
      expect(foreign).toEqual([]);
    },
  );

  it.each(["auth", "chat", "jobs", "legacy", "speech", "transcription", "upload"])(
    "of %s leaves out what documents its schemas: each copy of a schema would cost its start time",
    async (name) => {
      const files = [...sourcesOf(name).keys()].map((file) =>
        readFile(join(service.directory, name, file), "utf8"),
      );
      const code = (await Promise.all(files)).join("\n");
      const documented = code.match(/\.(?:meta|describe)\((?:\{|["`])[^)]{0,60}/g) ?? [];
      expect(documented).toEqual([]);
    },
  );

  it("keeps its lines and columns without the documentation", () => {
    const source = [
      "const size = z",
      "  .int()",
      '  .meta({ example: 1, description: "In bytes" })',
      '  .nullish().describe("The size");',
      "const other = size.describe(texts.other);",
      "const found = await store.describe(key, 1);",
    ];
    const lines = removeDocumentation("size.ts", source.join("\n")).split("\n");
    expect(lines.map((line) => line.trimEnd())).toEqual([
      "const size = z",
      "  .int()",
      "",
      `  .nullish()${" ".repeat(21)};`,
      "const other = size                      ;",
      "const found = await store.describe(key, 1);",
    ]);
  });

  it("of the authorizer holds no schema library: it is in front of every request and has four fields to read", () => {
    expect([...packagesOf("authorizer")]).toEqual(["jose"]);
  });

  it("of the language identification has the weights next to it unpacked, and does not load zlib", async () => {
    const script = `globalThis.awslambda = { streamifyResponse: (handler) => handler };
      await import(${JSON.stringify(join(service.directory, "language/index.mjs"))});
      console.log(process.moduleLoadList.some((name) => name.endsWith("zlib")));`;
    const env = { ...variables, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
    expect(stdout.trim()).toBe("false");
    const { length } = await readFile(join(service.directory, "language/weights.bin"));
    expect(length).toBeGreaterThan(500_000);
  });

  it.each(["translate", "jobs", "mcp"])(
    "of %s has the weights of source languages next to it unpacked",
    async (name) => {
      const { length } = await readFile(join(service.directory, name, "source-language.bin"));
      expect(length).toBeGreaterThan(500_000);
    },
  );

  it.each(["speech", "messaging", "mcp"] as const)(
    "of %s has the codecs next to it, and compiles none during its start",
    async (name) => {
      const folder = join(service.directory, name);
      const script = `
        globalThis.awslambda = { streamifyResponse: (handler) => handler };
        const compiled = [];
        for (const name of ["Module", "Instance"]) {
          WebAssembly[name] = class { constructor() { compiled.push(name); } };
        }
        WebAssembly.instantiate = WebAssembly.compile = async () => void compiled.push("async");
        await import(${JSON.stringify(join(service.directory, name, "index.mjs"))});
        console.log(JSON.stringify(compiled));`;
      const env = { ...variables, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
      expect(JSON.parse(stdout)).toEqual([]);
      const packages = {
        opusscript: "build/opusscript_native_wasm.wasm",
        "wasm-media-encoders": "wasm/mp3.wasm",
      };
      for (const [of, file] of Object.entries(packages)) {
        const original = await readFile(join(projectDirectory, "node_modules", of, file));
        expect((await readFile(join(folder, basename(file)))).equals(original)).toBe(true);
      }
      // libopus in JavaScript, and both encoders as base64, would each be larger than this.
      expect((await stat(join(folder, "index.mjs"))).size).toBeLessThan(
        { speech: 450_000, messaging: 850_000, mcp: 870_000 }[name],
      );
    },
  );

  it("of functions that encode nothing has no codecs, that of the deprecated routes included", async () => {
    for (const { name } of functionDefinitions) {
      if (["job-worker", "speech", "messaging", "mcp"].includes(name)) continue;
      const files = await readdir(join(service.directory, name));
      expect(files.filter((file) => file.endsWith(".wasm"))).toEqual([]);
      expect([...packagesOf(name)]).not.toContain("opusscript");
    }
  });

  it.each(["chat", "language", "translate", "upload"])(
    "of %s loads the client of S3 when it is needed, which few requests do",
    (name) => {
      const output = service.metafile.outputs;
      const [, { imports = [] } = {}] =
        Object.entries(output).find(([path]) => path.endsWith(`/${name}/index.mjs`)) ?? [];
      const client = imports.filter(({ path }) => path.endsWith("/s3-sdk.mjs"));
      expect(client.map(({ kind }) => kind)).toEqual(["dynamic-import"]);
      expect(packagesOf(name)).not.toContain("@aws-sdk/client-s3");
    },
  );

  it("of the translation leaves out what only other functions need", () => {
    const packages = packagesOf("translate");
    for (const foreign of ["nodemailer", "@aws-sdk/client-s3", "@aws-sdk/client-sesv2", "undici"]) {
      expect(packages).not.toContain(foreign);
    }
  });
});

describe("A file of the build", () => {
  it("is replaced as a whole when its content changes", async () => {
    const path = join(directory, "other", "file.txt");
    await writeChangedFile(path, Buffer.from("first"));
    const { ino } = await stat(path);
    await writeChangedFile(path, Buffer.from("second"));
    expect(await readFile(path, "utf8")).toBe("second");
    expect((await stat(path)).ino).not.toBe(ino);
  });
});
