import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import {
  basePath,
  baseUrl,
  call,
  createAccount,
  type JsonResponse,
  startJob,
  type TestAccount,
  whenOver,
} from "../support/client.ts";
import { FormVisitor, logInTo } from "../support/form-visitor.ts";
import { noise } from "../support/wav.ts";

/** In bytes, packed: what a page and all that it loads may have. */
const maxFirstLoadBytes = 60 * 1_024;

const createJob = ({ token }: TestAccount, seconds: number): Promise<JsonResponse["body"]> =>
  startJob(noise(seconds), { type: "transcription", language: "lug", timestamps: true }, { token });

describe("The recordings of an account, without JavaScript", () => {
  let account: TestAccount;
  let visitor: FormVisitor;
  beforeAll(async () => {
    account = await createAccount();
    ({ visitor } = await logInTo(account));
  });

  it("are for those who are signed in", async () => {
    for (const path of [
      "/console/recordings",
      "/console/recordings/some",
      "/console/recordings/some/transcript",
    ]) {
      const { status, headers } = await new FormVisitor().ask(path);
      expect(status).toBe(303);
      expect(headers.get("location")).toContain(`${basePath}/console/log-in?next=`);
    }
  });

  it("begin with the commands that upload one and have it transcribed", async () => {
    const page = await visitor.open("/console/recordings");
    expect(page.html).toContain("No recordings yet");
    expect(page.html).toContain("Uploading on this page requires JavaScript.");
    expect(page.html).toContain(`API=${baseUrl}`);
    expect(page.html.replaceAll(/<[^>]*>/g, "")).toContain("$API/tasks/jobs");
  });

  it("of another account are missing, for every page and form", async () => {
    const { id } = await createJob(await createAccount(), 2);
    for (const path of [`/console/recordings/${id}`, `/console/recordings/${id}/transcript`])
      expect((await visitor.ask(path)).status).toBe(404);
    const page = await visitor.open("/console/recordings");
    const token = /name="form_token" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const sent = { form_token: token, action: "delete" };
    expect((await visitor.ask(`/console/recordings/${id}`, { form: sent })).status).toBe(404);
  });

  it("show their progress, and refresh automatically until they are done", async () => {
    const { id } = await createJob(account, 720);
    const early = await visitor.open(`/console/recordings/${id}`);
    if (early.html.includes("<progress"))
      expect(early.html).toContain('<noscript><meta http-equiv="refresh" content="10"/></noscript>');
    await whenOver(id, account.token);
    const list = await visitor.open("/console/recordings");
    expect(list.html).toContain(`href="${basePath}/console/recordings/${id}">council.wav</a>`);
    expect(list.html).toContain("12:00 · Luganda · ");
    const page = await visitor.open(`/console/recordings/${id}`);
    expect(page.html).toContain("<h1>council.wav</h1>");
    expect(page.html).not.toContain('http-equiv="refresh"');
    const times = Array.from(page.html.matchAll(/<li id="t[\d.]+" data-start="([\d.]+)"/g), ([, start]) =>
      Number(start),
    );
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(gzipSync(page.html).length).toBeLessThan(maxFirstLoadBytes);
  });

  it("can be heard through a link, from an origin that this page alone may load", async () => {
    const { id } = await createJob(account, 3);
    await whenOver(id, account.token);
    const { html, headers } = await visitor.open(`/console/recordings/${id}`);
    const link = /<audio[^>]*\ssrc="([^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const audio = await fetch(link, { headers: { Range: "bytes=0-3" } });
    expect(audio.status).toBe(206);
    expect(audio.headers.get("content-type")).toBe("audio/wav");
    expect(await audio.text()).toBe("RIFF");
    const { origin } = new URL(link);
    expect(headers.get("content-security-policy")).toContain(`media-src 'self' blob: ${origin};`);
    const elsewhere = await visitor.open("/console");
    expect(elsewhere.headers.get("content-security-policy")).not.toContain(origin);
  });

  it("are downloaded as text, subtitles and data, and never cached", async () => {
    const { id } = await createJob(account, 3);
    await whenOver(id, account.token);
    for (const [format, ending, pattern] of [
      ["text", "txt", /\w/],
      ["srt", "srt", /^1\n00:00:0/],
      ["vtt", "vtt", /^WEBVTT\n/],
      ["json", "json", /"segments":\[\{"start":/],
    ] as const) {
      const { status, html, headers } = await visitor.ask(
        `/console/recordings/${id}/transcript?format=${format}`,
      );
      expect(status).toBe(200);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("content-disposition")).toBe(
        `attachment; filename="council.${ending}"; filename*=UTF-8''council.${ending}`,
      );
      expect(html).toMatch(pattern);
    }
  });

  it("are cancelled and deleted by a form", async () => {
    const { id } = await createJob(account, 720);
    const page = await visitor.open(`/console/recordings/${id}`);
    const done = await visitor.send(page, `/console/recordings/${id}`, { action: "delete" });
    expect(done.html).toContain("The recording and its transcript are deleted.");
    expect(done.html).not.toContain(id);
    expect((await visitor.ask(`/console/recordings/${id}`)).status).toBe(404);
    expect((await call(`/tasks/jobs/${id}`, { token: account.token })).status).toBe(404);
  });

  it("give their scripts a token that uploads and makes jobs, and nothing else", async () => {
    const page = await visitor.open("/console/recordings");
    const formToken = /data-form-token="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const { status, html } = await visitor.ask("/console/recordings/token", {
      form: { form_token: formToken },
      headers: { Accept: "*/*" },
    });
    expect(status).toBe(200);
    const { access_token: token, expires_in: seconds } = JSON.parse(html);
    expect(seconds).toBe(900);
    expect((await call("/tasks/jobs", { token })).status).toBe(200);
    const text = { source_language: "eng", target_language: "lug", text: "Hello" };
    expect((await call("/tasks/translate", { token, body: text })).status).toBe(403);
  });

  it("load little", async () => {
    const page = await visitor.open("/console/recordings");
    const files = Array.from(
      page.html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g),
      ([, file = ""]) => file,
    );
    const bodies = await Promise.all(files.map((file) => call(file.slice(basePath.length))));
    const bytes = [page.html, ...bodies.map(({ body }) => body)].map((body) => gzipSync(body).length);
    expect(files.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(maxFirstLoadBytes);
  });
});

describe("The translation of a recording, without JavaScript", () => {
  let account: TestAccount;
  let visitor: FormVisitor;
  let id: string;
  const pageOf = () => `/console/recordings/${id}`;
  beforeAll(async () => {
    account = await createAccount();
    ({ visitor } = await logInTo(account));
    ({ id } = await createJob(account, 3));
    await whenOver(id, account.token);
  });

  it("is requested with a form that says what it counts, and is shown next to the transcript", async () => {
    const before = await visitor.open(pageOf());
    expect(before.html).toContain("<summary>Translate to…</summary>");
    expect(before.html).toMatch(/Counts \d+ characters on your monthly limit/);
    const form = { action: "translate", language: "eng", speech: "yes" };
    const { html: running } = await visitor.send(before, pageOf(), form);
    expect(running).toContain("<h3>English</h3>");
    await whenOver(id, account.token);
    const { html } = await visitor.open(pageOf());
    expect(html).toContain("Transcript · Luganda – English");
    expect(html).toMatch(/<span>\[[^<]*<\/span><span lang="en" class="translation">\[/);
    for (const format of ["text", "srt", "vtt", "audio"]) {
      expect(html).toContain(`/transcript?language=eng&amp;format=${format}"`);
    }
  });

  it("is downloaded as text, subtitles and speech, named after its language", async () => {
    for (const [format, ending, contentType] of [
      ["text", "txt", "text/plain"],
      ["srt", "srt", "application/x-subrip"],
      ["vtt", "vtt", "text/vtt"],
      ["audio", "ogg", "audio/ogg"],
    ] as const) {
      const { status, headers } = await visitor.ask(`${pageOf()}/transcript?language=eng&format=${format}`);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toContain(contentType);
      expect(headers.get("content-disposition")).toContain(`filename="council.eng.${ending}"`);
    }
  });

  it("is refused in the form when the language has no voices", async () => {
    const form = { action: "translate", language: "alz", speech: "yes" };
    const { html } = await visitor.send(await visitor.open(pageOf()), pageOf(), form);
    expect(html).toContain("Alur has no voices.");
    expect(html).toMatch(/<details class="more" open/);
  });
});
