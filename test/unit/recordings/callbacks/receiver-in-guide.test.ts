import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { guides } from "../../../../functions/site/docs/guides/built-guides.ts";
import { codeOf } from "../../../../functions/site/docs/guides/guide.ts";
import { makeSecret, signatureHeaders } from "../../../../shared/recordings/callbacks/signature.ts";

const guide = guides.find(({ name }) => name === "webhooks");
const [receiver = ""] = codeOf(guide, "typescript", "https://api.example.com");

it("The receiver in the webhooks guide accepts only what we signed, and prints what it received", async () => {
  const secret = makeSecret();
  const program = receiver.replace(
    ".listen(process.env.PORT ?? 8080);",
    '.listen(0, "127.0.0.1", function () { console.log(this.address().port); });',
  );
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: join(import.meta.dirname, "../../../.."),
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const url = `http://127.0.0.1:${(await lines.next()).value}`;
    const body = JSON.stringify({ type: "job.completed", data: { id: "0f8b", note: "wébale" } });
    const signed = (key: string) => signatureHeaders({ id: "msg_0f8b", sentAt: new Date(), body }, [key]);
    const send = async (headers: ReturnType<typeof signed> | undefined, sent = body): Promise<number> =>
      (await fetch(url, { method: "POST", headers: { ...headers }, body: sent })).status;
    expect(await send(signed(makeSecret()))).toBe(400);
    expect(await send(signed(secret), body.replace("completed", "failed"))).toBe(400);
    expect(await send(undefined)).toBe(400);
    expect(await send(signed(secret))).toBe(204);
    expect((await lines.next()).value).toBe("job.completed 0f8b");
  } finally {
    child.kill();
  }
});
