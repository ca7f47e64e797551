import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { call, logIn } from "../support/client.ts";
import { type SeenPage, signUp } from "../support/form-visitor.ts";

const usage = "/console/usage";
const sentText = "Kanari9x sings by the lake";

/** An account with a browser that is logged in, and a key. */
const signUpWithKey = async () => {
  const { visitor, username, password } = await signUp();
  const { access_token: token } = (await logIn(username, password)).body;
  const { key } = (await call("/auth/keys", { token, body: { name: "kiosk in Gulu" } })).body;
  return { visitor, token, key };
};

let owner: Awaited<ReturnType<typeof signUpWithKey>>;
beforeEach(async () => {
  owner = await signUpWithKey();
});

const translate = (token: string, id: string, target_language = "lug") =>
  call("/tasks/translate", {
    token,
    headers: { "X-Request-Id": id },
    body: { source_language: "eng", target_language, text: sentText },
  });

const cellsOf = ({ html }: SeenPage, label: string): string[] =>
  Array.from(
    html.matchAll(RegExp(`data-label="${label.replaceAll(/[()]/g, "\\$&")}">(.*?)</td>`, "gs")),
    ([, cell = ""]) => cell.replaceAll(/<[^>]*>/g, "").trim(),
  );

const search = (id: string, { visitor } = owner) => visitor.open(`${usage}?request=${id}`);

/** Opens the page until it lists a request: it appears shortly after its response. */
const whenListed = async (id: string): Promise<SeenPage> => {
  await expect.poll(async () => cellsOf(await search(id), "Request ID"), { timeout: 15_000 }).toContain(id);
  return search(id);
};

describe("The list of requests", () => {
  it("finds a request by its id, with its operation, status, time, units and key, and nothing that was sent", async () => {
    const id = randomUUID();
    const { status, headers } = await translate(owner.key, id);
    expect([status, headers.get("x-request-id")]).toEqual([200, id]);
    const page = await whenListed(id);
    expect(page.html).toContain('<th scope="row">POST /tasks/translate</th>');
    expect(cellsOf(page, "Status")).toEqual(["200"]);
    expect(Number(cellsOf(page, "Duration (ms)")[0])).toBeGreaterThan(0);
    expect(cellsOf(page, "Used")).toEqual([`${sentText.length} characters`]);
    expect(cellsOf(page, "Key")).toEqual(["kiosk in Gulu"]);
    expect(page.html).not.toContain("Kanari9x");
    expect(page.html).not.toContain(owner.key);
  });

  it("shows the code of an error, and whether a token was used", async () => {
    const id = randomUUID();
    expect((await translate(owner.token, id, "xyz")).status).toBe(400);
    const page = await whenListed(id);
    expect(cellsOf(page, "Status")).toEqual(["400 unsupported_language"]);
    expect(cellsOf(page, "Key")).toEqual(["Access token"]);
  });

  it("lists the newest first, and links to older ones", async () => {
    const ids = Array.from({ length: 22 }, (_, index) => `call-${index}.${randomUUID()}`);
    for (const id of ids) await translate(owner.token, id, "xyz");
    await whenListed(ids.at(-1) ?? "");
    const newest = await owner.visitor.open(usage);
    expect(cellsOf(newest, "Request ID")).toEqual(ids.slice(2).toReversed());
    const older = /href="[^"]*(\/console\/usage\?before=[^"#]+)#requests"/.exec(newest.html)?.[1] ?? "";
    const rest = cellsOf(await owner.visitor.open(older.replaceAll("&amp;", "&")), "Request ID");
    expect(rest.slice(0, 2)).toEqual([ids[1], ids[0]]);
    // The creation of the key was logged, too.
    expect(rest).toHaveLength(3);
  });

  it("finds nothing for the id of another account's request, or one that never was", async () => {
    const id = randomUUID();
    await translate(owner.key, id);
    await whenListed(id);
    const other = await signUpWithKey();
    for (const wanted of [id, randomUUID(), "<script>"]) {
      const page = await search(wanted, other);
      expect(page.status).toBe(200);
      expect(page.html).toContain("No request with this ID in the last 30 days.");
      expect(cellsOf(page, "Request ID")).toEqual([]);
      expect(page.html).not.toContain("<script>");
    }
  });
});
