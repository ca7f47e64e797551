import { describe, expect, it } from "vitest";
import { type BannerFacts, banner } from "../../../infra/local/banner.ts";

const facts: BannerFacts = {
  url: "http://192.168.1.7:3000/prod",
  chatStreamUrl: undefined,
  models: { servers: [], found: [], warnings: [] },
  platform: undefined,
  identityProviders: [],
  model: { restApi: { routes: [] } },
  isOpenToNetwork: true,
  enforcesPermissions: true,
  limitMultiplier: 10,
  inspected: undefined,
};

describe("The banner", () => {
  it("says what to type on a phone when the service is open to the network", () => {
    expect(banner(facts, 2)).toMatch(
      /^ {2}phone {8}type 192\.168\.1\.7:3000\/prod in a browser on the same network$/m,
    );
    expect(banner({ ...facts, isOpenToNetwork: false }, 2)).not.toContain("phone");
    expect(banner(facts, 2)).toMatch(/\nready http:\/\/192\.168\.1\.7:3000\/prod$/);
  });

  it("says how many requests an account may send", () => {
    expect(banner(facts, 2)).toContain(
      "limits       500 requests a minute for a new account, 10 times a deployment's  (LIMIT_MULTIPLIER)",
    );
    expect(banner({ ...facts, limitMultiplier: 1 }, 2)).toContain("50 requests a minute");
  });

  it("says in one line which models were found on this machine, and how to leave them out", () => {
    const url = "http://127.0.0.1:8080/v1";
    const models = { ...facts.models, found: [{ task: "chat", url, model: "gemma" } as const] };
    expect(banner({ ...facts, models }, 2)).toMatch(
      /^ {2}found {8}gemma at http:\/\/127\.0\.0\.1:8080\/v1 {2}\(MODELS=sample turns this off\)$/m,
    );
    expect(banner(facts, 2)).not.toContain("MODELS=sample");
  });

  it("says when permissions are not enforced", () => {
    expect(banner(facts, 2)).not.toContain("permissions");
    expect(banner({ ...facts, enforcesPermissions: false }, 2)).toMatch(
      /^ {2}WARNING {6}permissions of functions are not enforced, because AWS_ENDPOINT_URL_\* is set$/m,
    );
  });
});
