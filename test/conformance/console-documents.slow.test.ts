import { beforeAll, describe, expect, inject, it } from "vitest";
import { baseUrl, call, createAccount, startJob, type TestAccount, whenOver } from "../support/client.ts";
import { FormVisitor, formsOf, logInTo } from "../support/form-visitor.ts";

const page = "/console/playground/document";

/** Has a document translated by the API. @returns the id of its job. */
const translate = async ({ token }: TestAccount, name: string, content: string): Promise<string> => {
  const fields = { type: "translation", source_language: "eng", target_language: "lug" };
  const { id } = await startJob(content, fields, { token, name, type: "application/octet-stream" });
  await whenOver(id, token);
  return id;
};

describe.runIf(inject("isLocal"))("The documents of an account, without JavaScript", () => {
  let account: TestAccount;
  let visitor: FormVisitor;
  beforeAll(async () => {
    account = await createAccount();
    ({ visitor } = await logInTo(account));
  });

  it("are for those who are signed in", async () => {
    for (const path of [page, `${page}/some/file`]) {
      const { status, headers } = await new FormVisitor().ask(path);
      expect(status).toBe(303);
      expect(headers.get("location")).toContain("/console/log-in?next=");
    }
  });

  it("are a tab of the playground, with the commands for programs", async () => {
    expect((await visitor.open("/console/playground")).html).toContain(`${page}">`);
    const { html } = await visitor.open(page);
    expect(html).toContain("No documents yet");
    expect(html).toContain("Uploading on this page requires JavaScript.");
    expect(html.replaceAll(/<[^>]*>/g, "")).toContain(`API=${baseUrl}`);
  });

  it("are listed and saved as the API returns them, never shown as pages", async () => {
    const id = await translate(account, "notice.html", "<p>Thank you</p><script>alert(1)</script>");
    const { html } = await visitor.open(page);
    expect(html).toContain("<h3>notice.lug.html</h3>");
    expect(html).toContain("English → Luganda · 9 characters · ");
    expect(html).not.toContain('http-equiv="refresh"');
    const file = await visitor.ask(`${page}/${id}/file`);
    expect(file.html).toBe("<p>Webale</p><script>alert(1)</script>");
    expect(file.headers.get("content-type")).toBe("application/octet-stream");
    expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="notice\.lug\.html"/);
  });

  it("of another account are missing", async () => {
    const other = await createAccount();
    const id = await translate(other, "secret.txt", "Thank you");
    const { html } = await visitor.open(page);
    expect(html).not.toContain("secret");
    expect((await visitor.ask(`${page}/${id}/file`)).status).toBe(404);
    const token = /name="form_token" value="([^"]*)"/.exec(html)?.[1] ?? "";
    const form = { form_token: token, action: "delete", id };
    expect((await visitor.ask(page, { form })).status).toBe(404);
    expect((await call(`/tasks/jobs/${id}`, { token: other.token })).status).toBe(200);
  });

  it("are deleted with a form of each", async () => {
    const id = await translate(account, "old.txt", "Thank you");
    const shown = await visitor.open(page);
    const form = formsOf(shown).find(({ fields }) => fields["id"] === id);
    const { status } = await visitor.ask(page, { form: form?.fields ?? {} });
    expect(status).toBe(303);
    expect((await visitor.open(`${page}?done=deleted`)).html).not.toContain("old.lug.txt");
    expect((await call(`/tasks/jobs/${id}`, { token: account.token })).status).toBe(404);
  });
});
