import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeSamples, type SampleRequest } from "../../../shared/pages/samples/code-samples.ts";

const run = promisify(execFile);

/** What a server is sent, as far as the samples decide it. */
interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

const received: Received[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const type = request.headers["content-type"] ?? "";
    const boundary = /boundary=(?:")?([^";]+)/.exec(type)?.[1];
    received.push({
      method: request.method,
      url: request.url,
      authorization: request.headers.authorization,
      body: type.startsWith("application/json")
        ? JSON.parse(body)
        : boundary
          ? body
              .split(`--${boundary}`)
              .flatMap((part) => {
                const [, name] = /name="([^"]*)"/.exec(part) ?? [];
                return name === undefined ? [] : [[name, part.split("\r\n\r\n")[1]?.trimEnd()].join("=")];
              })
              .toSorted()
          : [...new URLSearchParams(body)],
    });
    response.setHeader("Content-Type", "application/json").end('{"done":true}');
  });
});

let directory: string;
let base: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "language-ai-samples-"));
  await writeFile(join(directory, "a recording, 1.wav"), "sound");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true, force: true });
});

const environment = () => ({ PATH: process.env["PATH"], TOKEN: "secret" });

/** What the server was sent by each sample; Python's `requests` need not be installed where the tests run. */
const sentBy = async (request: SampleRequest) => {
  const { curl, typescript } = codeSamples(request);
  const options = { cwd: directory, env: environment() };
  await run("bash", ["-c", curl], options);
  await run(process.execPath, ["--input-type=module-typescript", "--eval", typescript], options);
  return received.splice(0);
};

const hard = `It's "5 > 3" & $HOME \\ {x}\n\u00e4 \u{1F600}`;

describe("The samples of a request", () => {
  it.each<[string, () => SampleRequest, object]>([
    [
      "with JSON",
      () => ({
        method: "POST",
        url: `${base}/tasks/translate`,
        needsToken: true,
        body: { kind: "json", value: { text: hard, list: [1, { deep: null }], stream: true } },
      }),
      {
        method: "POST",
        url: "/tasks/translate",
        authorization: "Bearer secret",
        body: { text: hard, list: [1, { deep: null }], stream: true },
      },
    ],
    [
      "with a form",
      () => ({
        method: "POST",
        url: `${base}/auth/token`,
        needsToken: false,
        body: { kind: "form", fields: { username: "amina", password: hard } },
      }),
      {
        method: "POST",
        authorization: undefined,
        body: [
          ["username", "amina"],
          ["password", hard],
        ],
      },
    ],
    [
      "with a file",
      () => ({
        method: "POST",
        url: `${base}/tasks/audio/transcriptions`,
        needsToken: true,
        body: {
          kind: "files",
          fields: { language: "lug", note: "@home" },
          file: { field: "audio", name: "a recording, 1.wav" },
        },
      }),
      { method: "POST", body: ["audio=sound", "language=lug", "note=@home"] },
    ],
    [
      "with nothing but an address",
      () => ({ method: "GET", url: `${base}/auth/usage?from=2026-11-01&to=2026-11-30`, needsToken: true }),
      { method: "GET", url: "/auth/usage?from=2026-11-01&to=2026-11-30", authorization: "Bearer secret" },
    ],
  ])("%s send the same, on the command line and from a program", async (_case, make, expected) => {
    const [byCurl, byTypescript, ...more] = await sentBy(make());
    expect(byCurl).toMatchObject(expected);
    expect(byTypescript).toEqual(byCurl);
    expect(more).toEqual([]);
  });

  it("say in Python what they say in JSON", () => {
    const { python } = codeSamples({
      method: "POST",
      url: "https://api.example.org/tasks/chat/completions",
      needsToken: true,
      body: { kind: "json", value: { stream: true, seed: null, messages: [{ content: hard }] } },
      gives: "events",
    });
    expect(python).toBe(`import os

import requests

response = requests.post(
    "https://api.example.org/tasks/chat/completions",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
    json={
        "stream": True,
        "seed": None,
        "messages": [
            {
                "content": ${JSON.stringify(hard)},
            },
        ],
    },
    stream=True,
)
for line in response.iter_lines():
    print(line.decode("utf-8"))`);
  });

  it("keep a file that comes back", () => {
    const samples = codeSamples({
      method: "POST",
      url: "https://api.example.org/tasks/audio/speech",
      needsToken: true,
      body: { kind: "json", value: { text: "Webale" } },
      gives: { file: "speech.mp3" },
    });
    expect(samples.curl).toMatch(/-o speech\.mp3$/);
    expect(samples.typescript).toContain('await writeFile("speech.mp3"');
    expect(samples.python).toContain('open("speech.mp3", "wb")');
  });
});
