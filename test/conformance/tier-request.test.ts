import { describe, expect, it } from "vitest";
import { signUp } from "../support/form-visitor.ts";

const page = "/console/tier";

describe("The page for higher limits", () => {
  it("takes one request of a Free account, without a script, and shows it", async () => {
    const { visitor } = await signUp();
    expect((await visitor.open("/console/usage")).html).toMatch(/href="[^"]*\/console\/tier"/);
    const empty = await visitor.open(page);
    const wrong = await visitor.send(empty, page, { purpose: "short", amount: "" });
    expect(wrong.html).toContain("at least 10 characters are needed");
    const purpose = "A clinic in Gulu <translates> its leaflets.";
    const sent = await visitor.send(empty, page, { purpose, amount: "2,000 requests a day" });
    expect(sent.path).toBe(`${page}?done=sent`);
    expect(sent.html).toContain("We have received your request and will reply by email.");
    expect(sent.html).toContain("A clinic in Gulu &lt;translates>");
    expect(sent.html).toContain("Open</span>");
    expect(sent.html).not.toContain("<textarea");
    const again = await visitor.send(empty, page, { purpose, amount: "more" });
    expect(again.path).toBe(`${page}?done=open`);
    expect(again.html).not.toContain("<dd>more</dd>");
  });
});
