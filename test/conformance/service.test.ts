import { describe, expect, inject, it } from "vitest";
import { healthOperation, languagesOperation } from "../../functions/docs/contract.ts";
import { functionDefinitions, operations } from "../../functions/manifest.ts";
import openApi from "../../shared/http/openapi/openapi.json" with { type: "json" };
import { baseUrl, call, expectDeclared, expectError, sharedAccount } from "../support/client.ts";
import { sendOverWire } from "../support/wire.ts";

describe("the service", () => {
  it("reports that it is up", async () => {
    const response = await call("/health");
    expectDeclared(healthOperation, response);
    expect(response.body.status).toBe("ok");
  });

  it("publishes its OpenAPI document", async () => {
    const { body } = await call("/openapi.json");
    const servers = [{ url: inject("isLocal") ? baseUrl : expect.stringMatching(/^https:/) }];
    expect({ ...body, components: openApi.components }).toEqual({ ...openApi, servers });
    expect(body.components.securitySchemes.password.flows.password.tokenUrl).toBe(
      `${body.servers[0].url}/auth/token`,
    );
    expect(body.info.version).toBe("2.1");
  });

  it("lists its languages, and what can be done in each", async () => {
    const response = await call("/languages");
    expectDeclared(languagesOperation, response);
    const of = (task: string) =>
      response.body.languages.filter(({ tasks }: { tasks: string[] }) => tasks.includes(task));
    expect(
      [of("translate"), of("transcribe"), of("speech"), of("identify")].map(({ length }) => length),
    ).toEqual([32, 51, 17, 6]);
    expect(of("speech").every(({ voices }: { voices: string[] }) => voices.length > 0)).toBe(true);
    expect(response.body.languages).toContainEqual({
      code: "lgg",
      name: "Lugbara",
      aliases: [],
      tasks: ["translate", "transcribe", "identify"],
      voices: [],
    });
  });

  it.runIf(inject("isLocal"))("serves every declared route and page, and no other", async () => {
    const { body } = await call("/_local/routes");
    expect(body.base_url).toBe(baseUrl);
    const served = body.routes.map(
      ({ method, path }: { method: string; path: string }) => `${method} ${path}`,
    );
    const declared = [
      ...operations.map(({ method, path }) => `${method} ${path}`),
      ...functionDefinitions.flatMap(({ pages = [] }) => pages.map((path) => `ANY ${path}`)),
    ];
    expect(served.toSorted()).toEqual(declared.toSorted());
  });
});

describe("an address that does not exist", () => {
  it.each(["/nowhere", "/tasks", "/tasks/translate/x", "/auth/..%2fme"])(
    "%s returns 404 in our JSON",
    async (path) => {
      expectError(await call(path, { body: {} }), 404, "not_found");
    },
  );

  it.runIf(inject("isLocal")).each([
    ["JSON to curl", { Accept: "*/*" }, "application/json"],
    ["JSON without an Accept header", {}, "application/json"],
    ["JSON for a type that there is not", { Accept: "image/png" }, "application/json"],
    ["a page for HTML", { Accept: "text/html" }, "text/html"],
    ["a page to browsers", { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" }, "text/html"],
  ])("sends %s", async (_case, headers: Record<string, string>, contentType) => {
    for (const path of ["/nothing", "/tasks/nothing", "/v1/nothing"]) {
      const response = await sendOverWire(baseUrl, { method: "GET", path, headers });
      expect(response).toMatchObject({ status: 404, headers: { "content-type": contentType } });
      const start = contentType === "text/html" ? "<!doctype html>" : '{"detail":"';
      expect(response.body.toString().startsWith(start), `${path}: ${response.body}`).toBe(true);
    }
  });
});

describe("a method that an address does not support", () => {
  it.each([
    ["DELETE", "/tasks/translate", "POST"],
    ["GET", "/auth/token", "POST"],
    ["POST", "/auth/profile", "PUT"],
    ["PATCH", "/health", "GET"],
  ])("%s %s gets 405 and the methods that work", async (method, path, allowed) => {
    const response = await call(path, { method });
    expectError(response, 405, "method_not_allowed");
    expect(response.headers.get("allow")).toContain(allowed);
  });
});

describe("a browser", () => {
  it("may call from anywhere: the preflight names methods and headers", async () => {
    const response = await call("/tasks/translate", {
      method: "OPTIONS",
      headers: {
        Origin: "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, x-stainless-lang",
      },
    });
    expect([200, 204]).toContain(response.status);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
    const allowed = response.headers.get("access-control-allow-headers")?.toLowerCase();
    for (const name of ["authorization", "content-type", "x-stainless-lang"]) expect(allowed).toContain(name);
  });

  it("can read the request id and when to retry", async () => {
    const response = await call("/health");
    expect(response.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("a request id", () => {
  it("of the caller comes back", async () => {
    const response = await call("/health", { headers: { "X-Request-Id": "trace-42" } });
    expect(response.headers.get("x-request-id")).toBe("trace-42");
  });
});

describe("a body that is too large", () => {
  it.each([7_000_000, 11_000_000])("of %i bytes gets 413 and the alternative", async (size) => {
    const { token } = await sharedAccount();
    const response = await call("/tasks/translate", {
      token,
      body: { target_language: "lug", text: "x".repeat(size) },
    });
    expectError(response, 413, "payload_too_large");
    expect(response.body.detail).toContain("generate-upload-url");
  });
});

describe("broken JSON", () => {
  it("gets 422, with the position", async () => {
    const { token } = await sharedAccount();
    const response = await call("/tasks/translate", {
      token,
      body: '{"text": "x",',
      headers: { "Content-Type": "application/json" },
    });
    expect(response).toMatchObject({ status: 422, body: { detail: [{ type: "json_invalid" }] } });
  });
});
