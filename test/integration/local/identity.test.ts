import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type IdentityStandIns,
  startIdentityStandIns,
} from "../../../infra/local/identity/identity-servers.ts";
import { readLocalSettings } from "../../../infra/local/settings.ts";
import { localStage } from "../../../infra/stages.ts";
import { CookieJar } from "../../support/cookie-jar.ts";

const baseUrl = "http://127.0.0.1:9/prod";

const start = (variables: Record<string, string> = {}) =>
  startIdentityStandIns(readLocalSettings(variables), [0, 0], baseUrl);

let standIns: IdentityStandIns;
beforeAll(async () => {
  standIns = await start();
});
afterAll(() => standIns.close());

const settingsWith = (variables: Readonly<Record<string, string>>) =>
  localStage({ CHAT_BASE_URL: "http://127.0.0.1/v1", ...variables }).settings;

/** The form of a stand-in, as a browser gets there from the service. */
const openForm = async (letter: "a" | "b", jar = new CookieJar()) => {
  const settings = settingsWith(standIns.variables);
  const prefix = letter === "a" ? "IDP_A" : "IDP_B";
  const query = new URLSearchParams({
    client_id: settings[`${prefix}_CLIENT_ID`] ?? "",
    response_type: "code",
    scope: "openid email",
    redirect_uri: `${baseUrl}/console/log-in/${letter}/callback`,
    state: "state",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  const { address, response } = await jar.walk(`${settings[`${prefix}_ISSUER`]}/auth?${query}`);
  return { jar, address, status: response.status, page: await response.text() };
};

describe("The stand-ins of the identity providers", () => {
  it.each(["a", "b"] as const)(
    "say on their page what they are, and name a test account: %s",
    async (letter) => {
      const { status, page } = await openForm(letter);
      expect(status).toBe(200);
      expect(page).toContain(`Log in to Stand-in provider ${letter.toUpperCase()}`);
      expect(page).toContain("This is a stand-in, not a real provider.");
      expect(page).toContain("<code>nambi</code>: nambi.grace@example.com (verified)");
      expect(page).toContain('name="login" value="nambi"');
    },
  );

  it("send back who signs in with what the form holds, and tell what was wrong otherwise", async () => {
    const { jar, address, page } = await openForm("a");
    const field = (name: string): string =>
      new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(page)?.[1] ?? "";
    const send = (password: string) =>
      jar.walk(address, {
        method: "POST",
        body: new URLSearchParams({ answer: "log-in", login: field("login"), password }),
        until: ({ origin }) => origin === new URL(baseUrl).origin,
      });
    const wrong = await send("not the password");
    expect(await wrong.response.text()).toContain("Unknown test account or wrong password.");
    const right = await send(field("password"));
    expect(`${right.address.origin}${right.address.pathname}`).toBe(`${baseUrl}/console/log-in/a/callback`);
    expect(Object.fromEntries(right.address.searchParams)).toMatchObject({
      state: "state",
      code: expect.any(String),
    });
  });

  it("refuse a form that was started in another browser", async () => {
    const { address } = await openForm("a");
    const response = await fetch(address);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("was started in another browser");
  });

  it("redirect only to the service", async () => {
    const [a] = standIns.running;
    const query =
      "client_id=language-ai-service&response_type=code&scope=openid&redirect_uri=https://evil.example/";
    const response = await fetch(`${a?.issuer}/auth?${query}`, { redirect: "manual" });
    expect(response.status).toBe(400);
  });

  it("respond to this machine only, by its own names", async () => {
    const [a] = standIns.running;
    const response = await new CookieJar().fetch(`${a?.issuer}/.well-known/openid-configuration`);
    expect(response.status).toBe(200);
    const status = await new Promise((resolve) => {
      const requested = request(`${a?.issuer}/`, { headers: { Host: "evil.example" } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      requested.end();
    });
    expect(status).toBe(403);
  });

  it("give way to a provider that a person names, with its secret", async () => {
    const named = {
      IDP_A_NAME: "University",
      IDP_A_ISSUER: "https://id.example.ac.ug",
      IDP_A_CLIENT_ID: "languages",
      IDP_A_CLIENT_SECRET: "the university's secret",
    };
    const others = await start(named);
    try {
      expect(others.running.map(({ name }) => name)).toEqual(["Stand-in provider B"]);
      expect(others.clientSecrets).toEqual({ a: "the university's secret", b: expect.any(String) });
      expect(settingsWith({ ...named, ...others.variables })).toMatchObject({
        IDP_A_NAME: "University",
        IDP_A_ISSUER: "https://id.example.ac.ug",
        IDP_B_NAME: "Stand-in provider B",
      });
    } finally {
      await others.close();
    }
  });
});
