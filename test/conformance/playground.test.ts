import { describe, expect, inject, it } from "vitest";
import { type AttemptName, attemptDefinitions } from "../../functions/console/playground/attempts.ts";
import { baseUrl, createAccount } from "../support/client.ts";

/** Sends the page's own example, as a person does who only presses the button. */
const send = async (name: AttemptName): Promise<string> => {
  const { values, request } = attemptDefinitions[name];
  const { url, method, body } = request(values, { api: baseUrl, stream: baseUrl }, []);
  if (body?.kind !== "json") throw new Error("The example needs a file.");
  const { token } = await createAccount();
  const response = await fetch(url, {
    method,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body.value),
  });
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  return text;
};

describe.runIf(inject("isLocal"))("The playground's own example", () => {
  it.each(["translate", "chat", "identify"] as const)(
    "is one that the sample models know: %s",
    async (name) => {
      expect(await send(name)).not.toMatch(/not in the (?:sample )?phrasebook|no translation|\[sample/i);
    },
  );

  it("is translated whole", async () => {
    expect(JSON.parse(await send("translate")).output.translated_text).toBe("Wasuze otya nno. Oli otya?");
  });

  it("is spoken", async () => {
    expect(await send("speak")).not.toBe("");
  });
});
