import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { entryPages } from "../../../functions/console/entry/entry-pages.tsx";
import { createUnconfirmedLogIns } from "../../../functions/console/log-in/log-in-attempts.ts";
import { accountKeys } from "../../../shared/accounts/access/keys.ts";
import { createSigningKeySource } from "../../../shared/accounts/access/tokens.ts";
import { accountPoliciesWith } from "../../../shared/accounts/limits/policies.ts";
import { createAccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import { createLinksRepository } from "../../../shared/accounts/repositories/links-repository.ts";
import { createPageHandler } from "../../../shared/pages/server/page-handler.ts";
import { createSessionsRepository } from "../../../shared/pages/sessions/sessions-repository.ts";
import { accountRepositories } from "../../../shared/wiring/accounts-from-environment.ts";
import { noMail } from "../../support/accounts-over.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, type StreamedResponse, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { secondFactorsOver } from "../../support/second-factor.ts";
import { startTestTable, type TestTable } from "../../support/test-table.ts";
import { unlimited } from "../../support/unlimited.ts";

const baseUrl = "http://127.0.0.1:9/prod";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());
afterEach(() => vi.unstubAllGlobals());

const startConsole = () => {
  stubStreamingRuntime();
  const opened = table.open();
  const accounts = createAccountsRepository(opened);
  return createPageHandler(
    entryPages({
      ...accountRepositories(opened),
      secondFactors: secondFactorsOver(opened),
      unconfirmedLogIns: createUnconfirmedLogIns(
        createSigningKeySource(async () => "a secret of tests that is long enough to sign with"),
      ),
      baseUrl,
      mailQueue: noMail,
      eraseAccount: () => Promise.reject(new Error("No account must be deleted.")),
      providers: [],
      openIdProviders: [],
      termsVersion: "2026-11-24",
      policyOf: accountPoliciesWith(0.1),
    }),
    {
      site: { baseUrl, origins: { storage: [], stream: [] }, assets: [], languages: ["en", "sw"] },
      accounts,
      sessions: createSessionsRepository(opened),
    },
    { limiter: unlimited, metricsNamespace: undefined },
  );
};

const routes = {
  "verify-email": { path: "/console/{proxy+}", pathParameters: { proxy: "verify-email" } },
  "reset-password": { path: "/reset-password" },
} as const;
const purposes = ["verify-email", "reset-password"] as const;

const open = (
  purpose: keyof typeof routes,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamedResponse> =>
  invokeStreaming(
    startConsole(),
    lambdaEvent({
      ...routes[purpose],
      method: "GET",
      query: { token },
      headers: { Accept: "text/html", Host: "127.0.0.1:9", ...headers },
    }),
    lambdaContext(),
  );

let people = 0;
const emailLink = async (purpose: keyof typeof routes) => {
  people += 1;
  const opened = table.open();
  const { id } = await createAccountsRepository(opened).create({
    username: `reader-${people}`,
    email: `reader-${people}@example.com`,
    password_hash: "a hash",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  return { id, token: await createLinksRepository(opened).create({ userId: id, tokenEpoch: 0 }, purpose) };
};

describe.each(purposes)("The page for a link to %s", (purpose) => {
  it("shows a form with the token, and changes nothing", async () => {
    const { id, token } = await emailLink(purpose);
    const stored = () =>
      Promise.all([table.read(accountKeys.profile(id)), table.read(accountKeys.access(id))]);
    const before = await stored();
    const { status, headers, body } = await open(purpose, token);
    expect([status, body]).toEqual([200, expect.stringContaining(`name="token" value="${token}"`)]);
    expect(headers).toMatchObject({
      "Cache-Control": "no-store",
      "Content-Security-Policy": expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
      "Referrer-Policy": "same-origin",
      "X-Frame-Options": "DENY",
    });
    expect(await stored()).toEqual(before);
  });

  it("is in the language of its reader", async () => {
    const { token } = await emailLink(purpose);
    const { body } = await open(purpose, token, { "Accept-Language": "sw" });
    expect(body).toContain('<html lang="sw">');
    expect(body).toMatch(/<h1>(?:Thibitisha anwani|Chagua nenosiri)/);
  });

  it("says that a link does not work which is incomplete, unknown or for something else", async () => {
    const { token } = await emailLink(purpose === "verify-email" ? "reset-password" : "verify-email");
    for (const wrong of [token, "A".repeat(43), "abc", '"><b>']) {
      const { status, body } = await open(purpose, wrong);
      expect([status, body]).toEqual([400, expect.stringContaining("This link does not work")]);
      expect(body).not.toContain(wrong);
    }
  });
});
