import { describe, expect, it } from "vitest";
import { docsEndpoints } from "../../../functions/docs/endpoints.ts";
import { legacyFunction } from "../../../functions/legacy/definition.ts";
import { defaultLegacySettings, inStage } from "../../../functions/legacy/settings.ts";
import openApi from "../../../shared/http/openapi/openapi.json" with { type: "json" };
import { defaultVendors } from "../../../shared/platform/config/vendors.ts";
import { legacyInMemory } from "../../support/legacy.ts";
import { send } from "../../support/send.ts";

const publicBaseUrl = "https://api.example.com/prod";
const vendors = { a: "acme", b: "other-gpu" };

describe("a stage that calls the providers by other names", () => {
  it("responds at its configured routes, and not at the default ones", async () => {
    const legacy = legacyInMemory({ vendors });
    const get = (path: string) => legacy.send({ method: "GET", path });
    expect(await get("/tasks/acme/tts/speakers")).toMatchObject({ status: 200 });
    expect(await get("/tasks/modal/tts/speakers")).toMatchObject({ status: 404 });
    expect(await legacy.send({ path: "/tasks/other-gpu/tts", body: { text: "Oli otya?" } })).toMatchObject({
      status: 200,
    });
  });

  it("has the same routes in API Gateway as in the function", () => {
    const { endpoints } = legacyInMemory({ vendors });
    const paths = inStage(legacyFunction.operations, { vendors }).map(
      ({ method, path }) => `${method} ${path}`,
    );
    expect(endpoints.map(({ operation }) => `${operation.method} ${operation.path}`).toSorted()).toEqual(
      paths.toSorted(),
    );
    expect(paths.join().match(/modal|runpod/)).toBeNull();
  });

  it("describes them in its OpenAPI document", async () => {
    const { body } = await send(docsEndpoints({ vendors, publicBaseUrl }), {
      method: "GET",
      path: "/openapi.json",
    });
    expect(body.paths).toHaveProperty(["/tasks/acme/orpheus/tts/batch"]);
    expect(Object.keys(body.paths)).toHaveLength(Object.keys(openApi.paths).length);
    expect(
      Object.keys(body.paths)
        .join()
        .match(/modal|runpod/),
    ).toBeNull();
    const asDeclared = await send(docsEndpoints({ vendors: defaultVendors, publicBaseUrl }), {
      method: "GET",
      path: "/openapi.json",
    });
    expect({ ...asDeclared.body, components: openApi.components }).toEqual({
      ...openApi,
      servers: [{ url: publicBaseUrl }],
    });
  });
});

describe("the default sunset", () => {
  it("leaves callers a year after the release", () => {
    const release = Date.parse("2026-11-23T00:00:00Z");
    const days = (Date.parse(defaultLegacySettings.sunset) - release) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(365);
  });
});

describe("a stage with a sunset of its own", () => {
  it("says it in the headers", async () => {
    const legacy = legacyInMemory({ sunset: "2027-03-01" });
    expect(await legacy.send({ path: "/tasks/summarise", body: {} })).toMatchObject({
      status: 422,
      headers: { Sunset: "Mon, 01 Mar 2027 00:00:00 GMT" },
    });
  });
});

describe("a stage whose providers' routes are gone", () => {
  const legacy = legacyInMemory({ providerRoutes: "gone" });
  const vendorsRoutes = legacyFunction.operations.filter(({ path }) =>
    /^\/tasks\/(modal|runpod)\//.test(path),
  );

  it.each(vendorsRoutes)(
    "refuses $method $path with 410 and the same headers, for every caller",
    async (operation) => {
      const { method, path, deprecated } = operation;
      for (const authorization of ["Bearer right", "Bearer wrong"]) {
        const response = await legacy.send({
          method,
          path,
          headers: { Authorization: authorization, "Content-Type": "application/json" },
          body: "{broken",
        });
        expect(response).toMatchObject({
          status: 410,
          headers: {
            Deprecation: "@1780272000",
            Sunset: "Wed, 01 Dec 2027 00:00:00 GMT",
            Link: `<${deprecated?.guide}>; rel="deprecation"; type="text/html", <${deprecated?.successor}>; rel="successor-version"`,
          },
          body: { error: { code: "gone" } },
        });
        expect(response.body.detail).toContain(deprecated?.successor);
      }
      expect(legacy.synthesize).not.toHaveBeenCalled();
    },
  );

  it("responds at the others", async () => {
    expect(await legacy.send({ path: "/tasks/tts", body: { text: "Oli otya?" } })).toMatchObject({
      status: 200,
    });
    expect(await legacy.send({ path: "/tasks/summarise", body: { text: "x" } })).toMatchObject({
      status: 200,
    });
  });
});
