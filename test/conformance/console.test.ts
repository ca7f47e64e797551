import { describe, expect, inject, it } from "vitest";
import { baseUrl, call, newRegistration } from "../support/client.ts";
import { FormVisitor, formsOf } from "../support/form-visitor.ts";

const prefix = new URL(baseUrl).pathname.replace(/\/$/, "");

const signUp = async (visitor: FormVisitor, path = "/console/sign-up") => {
  const registration = newRegistration();
  const seen = await visitor.send(await visitor.open(path), "/console/sign-up", registration);
  return { ...registration, seen };
};

/** The newest mail to somebody, as soon as it is there. */
const linkMailedTo = async (email: string, path: string): Promise<string> => {
  for (;;) {
    const { body } = await call("/_local/mail");
    const mail = body.find(
      ({ to, text }: { to: string[]; text: string }) => to.includes(email) && text.includes(`${path}?token=`),
    );
    const link = mail?.text.match(/https?:\S+/)?.[0];
    if (link) return link.slice(baseUrl.length);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

describe("The console, without JavaScript", () => {
  it("says what this is at the first page, to people and to programs", async () => {
    const page = await new FormVisitor().open("/");
    expect(page).toMatchObject({ status: 200 });
    expect(page.html).toMatch(/<h1>African languages for software<\/h1>/);
    for (const path of ["/console/sign-up", "/docs", "/console/playground"])
      expect(page.html).toContain(`href="${prefix}${path}"`);
    expect(await call("/")).toMatchObject({
      status: 200,
      body: { version: "2.1", documentation: `${baseUrl}/docs`, openapi: `${baseUrl}/openapi.json` },
    });
  });

  it.runIf(inject("isLocal"))(
    "signs somebody up, has their address verified and logs them in again",
    async () => {
      const visitor = new FormVisitor();
      const { email, username, password, seen } = await signUp(visitor);
      expect(seen).toMatchObject({ status: 200, path: "/console" });
      expect(seen.html).toContain(username);

      const link = await linkMailedTo(email, "/auth/verify-email");
      const [form] = formsOf(await visitor.ask(link));
      const verified = await visitor.ask("/auth/verify-email", { form: form?.fields ?? {} });
      expect(verified.html).toContain("The e-mail address is verified.");

      const loggedOut = await visitor.send(await visitor.open("/console"), "/console/log-out");
      expect(loggedOut.html).toContain("You are logged out.");
      const asked = await visitor.open("/console");
      expect(asked.path).toBe("/console/log-in");
      const again = await visitor.send(asked, "/console/log-in", { username: email, password });
      expect(again).toMatchObject({ status: 200, path: "/console" });
    },
  );
});
