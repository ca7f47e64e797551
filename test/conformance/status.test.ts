import { describe, expect, it } from "vitest";
import { statusPage } from "../../functions/site/status/pages.ts";
import { baseUrl, call } from "../support/client.ts";

/** What programs see. The canary of a deployment measures; that of the local service runs only when it is invoked. */
const readStatus = async () => {
  const { status, headers, body } = await call("/status");
  const { checked_at: checkedAt = null, tasks = [] } = statusPage.data?.parse(body) ?? {};
  return { status, headers, checkedAt, tasks };
};

describe("The status page", () => {
  it("says to programs what was measured in 90 days, or that nothing was", async () => {
    const { status, headers, checkedAt, tasks } = await readStatus();
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("public, max-age=60");
    expect(headers.get("vary")).toContain("Accept");
    expect(tasks).toHaveLength(6);
    for (const { status: state, uptime, days } of tasks) {
      expect(days).toHaveLength(90);
      if (checkedAt === null) expect([state, uptime]).toEqual(["not_measured", null]);
      if (state !== "not_measured") expect(uptime).not.toBeNull();
    }
  });

  it("says the same to people", async () => {
    const response = await fetch(`${baseUrl}/status`, { headers: { Accept: "text/html" } });
    const html = await response.text();
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    const { checkedAt } = await readStatus();
    if (checkedAt === null) expect(html).toContain("Not measured: no check has run recently.");
    expect(html.match(/class="day-\w+"/g)).toHaveLength(6 * 90);
  });
});
