import { afterAll, describe, expect, inject, it } from "vitest";
import { chatFunction } from "../../functions/chat/definition.ts";
import { operations } from "../../functions/manifest.ts";
import { supportedMethods } from "../../shared/http/operation.ts";
import { inVendorsNames } from "../../shared/platform/config/vendors.ts";
import { baseUrl, call, expectErrorOf } from "../support/client.ts";
import { check, type Row } from "./row.ts";
import * as accounts from "./rows/accounts.ts";
import { chat, language } from "./rows/chat.ts";
import { deeplRows, libreTranslateRows } from "./rows/dialects.ts";
import { legacyChat, legacySpeech, legacyTranscription } from "./rows/legacy.ts";
import { recordings, transcription } from "./rows/recordings.ts";
import { service } from "./rows/service.ts";
import { speechRows } from "./rows/speech.ts";
import { cleanUp, key, logInVisitor } from "./run.ts";
import { lacks, stage } from "./stage.ts";

/** Rows that are called one after the other, at the same time as those of the other lists. */
const lists = {
  "An account": accounts.management,
  "A mailed link": accounts.links,
  "The service": service,
  Chat: chat,
  "A language": language,
  "A client of DeepL": deeplRows,
  "A client of LibreTranslate": libreTranslateRows,
  "A recording": recordings,
  "A transcription": transcription,
  Speech: speechRows,
  "Speech of version 1": legacySpeech,
  "A transcription of version 1": legacyTranscription,
  "Chat of version 1": legacyChat,
};

const titleOf = ({ operation }: Row) => `${operation.method} ${operation.path}`;

const callEach = (rows: readonly Row[]): void => {
  for (const row of rows) it(`responds to ${titleOf(row)}`, { concurrent: false }, () => check(row));
};

afterAll(cleanUp);

it("calls every operation once", () => {
  const rows = [...accounts.entry, ...Object.values(lists).flat(), ...accounts.exit];
  expect(rows.map(titleOf).toSorted()).toEqual(
    operations.map(({ method, path }) => `${method} ${path}`).toSorted(),
  );
});

describe("A new account", () => {
  // The first request may wait for the next minute of its address.
  for (const row of accounts.entry) it(`responds to ${titleOf(row)}`, { timeout: 120_000 }, () => check(row));
  it("can log in", logInVisitor);
});

for (const [name, rows] of Object.entries(lists)) describe.concurrent(name, () => callEach(rows));

const chatUrl = inject("chatStreamUrl");

describe.concurrent("The function URL of chat", () => {
  it.skipIf(lacks("chat"))("streams a reply", async () => {
    const { status, headers, body } = await call(`${chatUrl}/tasks/chat/completions`, {
      token: key,
      body: {
        model: "lang-9b",
        messages: [{ role: "user", content: "Hello" }],
        stream: true,
        max_tokens: 16,
      },
    });
    expect(status, body).toBe(200);
    expect(headers.get("content-type")).toMatch("text/event-stream");
    expect(body).toMatch(/^data: .*"finish_reason":"(?:stop|length)"/m);
    expect(body).toMatch(/\ndata: \[DONE\]\n\n$/);
  });
});

const vendors = { a: stage.LEGACY_VENDOR_A, b: stage.LEGACY_VENDOR_B };
const methodsByPath = Map.groupBy(operations, ({ path }) => path);
const paths = [...methodsByPath].map(([path, declared]) => ({
  path,
  methods: supportedMethods(declared.map(({ method }) => method)),
}));

const entries = [
  ...paths.map((each) => ({ ...each, door: "the API", at: baseUrl })),
  ...paths
    .filter(({ path }) => chatUrl !== baseUrl && chatFunction.operations.some((each) => each.path === path))
    .map((each) => ({ ...each, door: "the function URL", at: chatUrl })),
];

describe.concurrent("A path", () => {
  it.each(entries)("$path of $door allows browsers its methods and refuses others", async (entry) => {
    const address = `${entry.at}${inVendorsNames(entry.path, vendors).replaceAll(/\{\w+\}/g, "1")}`;
    const preflight = await call(address, {
      method: "OPTIONS",
      headers: { Origin: "https://app.example", "Access-Control-Request-Method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    const refused = await call(address, { method: "PATCH" });
    expectErrorOf(entry, refused, "method_not_allowed");
    for (const headers of [
      preflight.headers.get("access-control-allow-methods"),
      refused.headers.get("allow"),
    ]) {
      expect(headers?.split(", ").toSorted()).toEqual(entry.methods.toSorted());
    }
  });
});

describe("In the end", () => callEach(accounts.exit));
