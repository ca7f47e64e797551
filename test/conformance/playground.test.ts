import { describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { type AttemptName, attemptDefinitions } from "../../functions/console/playground/attempts.ts";
import { basePath, baseUrl, call, logIn, sharedAccount } from "../support/client.ts";
import { codeOf } from "../support/declared.ts";
import { FormVisitor, logInTo, signUp } from "../support/form-visitor.ts";

/** Sends the page's own example, as a person does who only presses the button. */
const send = async (name: AttemptName): Promise<string> => {
  const { values, request } = attemptDefinitions[name];
  const { url, method, body } = request(values, { api: baseUrl, stream: baseUrl }, []);
  if (body?.kind !== "json") throw new Error("The example needs a file.");
  const { token } = await sharedAccount();
  const response = await fetch(url, {
    method,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body.value),
  });
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  return text;
};

describe.runIf(inject("isLocal"))("The playground's own example", () => {
  it.each(["translate", "chat", "identify"] as const)(
    "is one that the sample models know: %s",
    async (name) => {
      expect(await send(name)).not.toMatch(/not in the (?:sample )?phrasebook|no translation|\[sample/i);
    },
  );

  it("is translated whole", async () => {
    expect(JSON.parse(await send("translate")).output.translated_text).toBe("Wasuze otya nno. Oli otya?");
  });

  it("is spoken", async () => {
    expect(await send("speak")).not.toBe("");
  });
});

/** A visitor of their own: attempts are counted by address, and all tests come from one. */
const signIn = async (): Promise<FormVisitor> => (await logInTo(await sharedAccount())).visitor;

const textIn = (html: string): string => html.replaceAll(/<[^>]*>/g, " ");

describe.runIf(inject("isLocal"))("The playground's form, without JavaScript", () => {
  const panel = "/console/playground";

  it.each(["/", panel])(
    "translates for an account at %s, and links to speech that is heard once",
    async (path) => {
      const visitor = await signIn();
      const typed = { source: "eng", target: "lug", text: "How are you?" };
      const seen = await visitor.send(
        await visitor.open(path),
        path === "/" ? "/" : `${panel}?try=translate`,
        typed,
      );
      expect(seen.status).toBe(200);
      expect(seen.html).toContain('<p class="answer">Oli otya?</p>');
      expect(seen.html).toMatch(/<textarea[^>]*>How are you\?<\/textarea>/);
      const link = /<audio[^>]* src="([^"]*)"/.exec(seen.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
      const spoken = await visitor.ask(link.slice(basePath.length));
      expect(spoken.status).toBe(200);
      expect(spoken.headers.get("content-type")).toBe("audio/mpeg");
      // The link is signed for this browser and this text.
      const own = link.slice(basePath.length);
      expect((await visitor.ask(own.replace("Oli", "Ali"))).status).toBe(403);
      expect((await new FormVisitor().ask(own)).status).toBe(403);
    },
  );

  it("detects, and continues a conversation", async () => {
    const visitor = await signIn();
    const identify = `${panel}?try=identify`;
    const seen = await visitor.send(await visitor.open(identify), identify, {
      text: "Wasuze otya nno, ssebo?",
    });
    expect(seen.html).toContain('<p class="answer">Luganda</p>');
    const chat = `${panel}?try=chat`;
    const first = await visitor.send(await visitor.open(chat), chat, { text: "Webale" });
    expect(first.html.match(/<p class="turn/g)).toHaveLength(2);
    const second = await visitor.send(first, chat, { text: "Weebale nnyo" });
    expect(second.html.match(/<p class="turn own/g)).toHaveLength(2);
    expect(textIn(second.html)).toContain("Webale");
  });

  it("keeps what was typed when the API refuses it, and swaps languages", async () => {
    const visitor = await signIn();
    const path = `${panel}?try=translate`;
    const same = { source: "lug", target: "lug", text: "Oli otya?" };
    const refused = await visitor.send(await visitor.open(path), path, same);
    expect(refused.status).toBe(400);
    expect(textIn(refused.html)).toContain("must be different");
    expect(refused.html).toMatch(/<textarea[^>]*>Oli otya\?<\/textarea>/);
    const swapped = await visitor.send(refused, path, {
      source: "eng",
      target: "ach",
      text: "a",
      swap: "yes",
    });
    expect(swapped.html).toMatch(/<select id="source".*?<option value="ach" selected>/s);
  });

  it("does nothing for another site", async () => {
    const visitor = await signIn();
    const form = { text: "Oli otya?", source: "lug", target: "eng", form_token: "x" };
    const forged = await visitor.ask(`${panel}?try=translate`, { form });
    expect(forged.status).toBe(403);
    expect(forged.html).not.toContain('class="answer"');
  });

  it("says what transcribing requires, and offers no button for it", async () => {
    const { html } = await (await signIn()).open(`${panel}?try=transcribe`);
    expect(textIn(html)).toContain("Transcribing on this page requires JavaScript.");
    expect(html).toMatch(/<button\b[^>]*\sdisabled[^>]*>[^<]*(?:<svg.*?<\/svg>)?[^<]*Transcribe/s);
  });
});

describe.runIf(inject("isLocal"))("The token of the playground's page", () => {
  it("does nothing about its account, and ends when the password is changed", async () => {
    const { visitor, username, password } = await signUp();
    const page = await visitor.open("/console/playground?try=identify");
    const form_token = /data-form-token="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const given = await visitor.ask("/console/playground/token", { form: { form_token } });
    const { access_token: token } = z.object({ access_token: z.string() }).parse(JSON.parse(given.html));
    const outcome = async (path: string, body: object, bearer = token) => {
      const response = await call(path, { token: bearer, body });
      return `${response.status} ${codeOf(response.body) ?? ""}`.trim();
    };
    const identify = () => outcome("/tasks/classify_language", { text: "Wasuze otya nno?" });
    const change = { old_password: password, new_password: "nine cranes over the hill" };
    expect(await identify()).toBe("200");
    const upload = { file_name: "a.wav", content_type: "audio/wav" };
    for (const [path, body] of [
      ["/auth/keys", { name: "mine" }],
      ["/auth/refresh-token", {}],
      ["/auth/change-password", change],
      ["/tasks/generate-upload-url", upload],
    ] as const) {
      expect(await outcome(path, body), path).toBe("403 insufficient_scope");
    }
    const own = await logIn(username, password);
    expect(await outcome("/auth/change-password", change, own.body.access_token)).toBe("200");
    expect(await identify()).toBe("401 unauthenticated");
  });
});
