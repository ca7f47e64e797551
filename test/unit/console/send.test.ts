import { afterEach, describe, expect, it, vi } from "vitest";
import { createSender } from "../../../functions/console/client/parts/send.ts";

const recording = new Blob(["sound"], { type: "audio/webm" });
const upload = {
  method: "POST",
  url: "https://api.example.com/tasks/audio/transcriptions",
  needsToken: true,
  body: { kind: "files", fields: { language: "lug" }, file: { field: "audio", name: "recording.webm" } },
} as const;
const json = { ...upload, body: { kind: "json", value: { text: "Webale" } } } as const;

afterEach(() => vi.unstubAllGlobals());

/** Requests that a page sends. @returns what its browser sent. */
const sentBy = async (
  access: Parameters<typeof createSender>[0],
  ...[name, request, file]: [string, typeof upload | typeof json, Blob?]
): Promise<Request[]> => {
  const sent: Request[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    sent.push(new Request(url, init));
    return url.endsWith("/token") ? Response.json({ access_token: "abc", expires_in: 900 }) : new Response();
  });
  await createSender(access)(name, request, file, new AbortController().signal);
  return sent;
};

const visitor = { tokenUrl: undefined, visitorUrl: "https://example.com/visitor", formToken: "proof" };
const account = { ...visitor, tokenUrl: "https://example.com/token" };

describe("What a page sends", () => {
  it("is the recording with its name, followed by the fields", async () => {
    const [request] = await sentBy(visitor, "transcribe", upload, recording);
    const form = await request?.formData();
    expect([...(form?.keys() ?? [])]).toEqual(["audio", "language"]);
    expect(form?.get("audio")).toMatchObject({ name: "recording.webm", size: 5 });
    expect(form?.get("language")).toBe("lug");
  });

  it("goes to the page's own site without a token for visitors", async () => {
    const sent = await sentBy(visitor, "translate", json);
    expect(sent.map(({ method, url }) => [method, url])).toEqual([
      ["POST", "https://example.com/visitor/translate"],
    ]);
    expect(sent[0]?.headers.get("content-type")).toBe("application/json");
    expect(sent[0]?.headers.has("authorization")).toBe(false);
    expect(await sent[0]?.json()).toEqual({ text: "Webale" });
  });

  it("goes to the API with a token of the account", async () => {
    const sent = await sentBy(account, "translate", json);
    expect(sent.map(({ method, url }) => [method, url])).toEqual([
      ["POST", "https://example.com/token"],
      ["POST", json.url],
    ]);
    expect(sent[1]?.headers.get("authorization")).toBe("Bearer abc");
    expect(await sent[1]?.json()).toEqual({ text: "Webale" });
  });
});
