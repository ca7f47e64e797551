import { describe, expect, it } from "vitest";
import { statusPage } from "../../functions/console/status/pages.ts";
import { baseUrl, call } from "../support/client.ts";

describe("The status page", () => {
  it("says that nothing is measured without a canary, to programs", async () => {
    const { status, headers, body } = await call("/status");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("public, max-age=60");
    expect(headers.get("vary")).toContain("Accept");
    const { checked_at, tasks } = statusPage.data?.parse(body) ?? {};
    expect(checked_at).toBeNull();
    expect(tasks?.map(({ status: state, uptime }) => [state, uptime])).toEqual(
      Array.from({ length: 6 }, () => ["not_measured", null]),
    );
    expect(tasks?.[0]?.days).toHaveLength(90);
  });

  it("says so to people, who find it at the foot of every page", async () => {
    const response = await fetch(`${baseUrl}/status`, { headers: { Accept: "text/html" } });
    const html = await response.text();
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    expect(html).toContain("Not measured: no check has run recently.");
    expect(html.match(/class="day-none"/g)).toHaveLength(6 * 90);
    const home = await (await fetch(`${baseUrl}/`, { headers: { Accept: "text/html" } })).text();
    expect(home).toMatch(/<a href="[^"]*\/status">Status<\/a>/);
  });
});
