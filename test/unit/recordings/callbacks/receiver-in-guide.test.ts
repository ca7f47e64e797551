import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { webhooksGuide } from "../../../../functions/console/docs/guides/operating.ts";
import { makeSecret, signatureHeaders } from "../../../../shared/recordings/callbacks/signature.ts";

const [receiver = ""] = webhooksGuide
  .parts("https://api.example.com")
  .flatMap((part) => ("kind" in part && part.kind === "typescript" ? [part.code] : []));

it("The receiver in the guide accepts what we sign, shows it, and accepts nothing else", async () => {
  const secret = makeSecret();
  const reportingItsPort = receiver.replace(
    ".listen(process.env.PORT ?? 8080);",
    '.listen(0, "127.0.0.1", function () { console.log(this.address().port); });',
  );
  const child = spawn(process.execPath, ["--input-type=module", "--eval", reportingItsPort], {
    cwd: join(import.meta.dirname, "../../../.."),
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const url = `http://127.0.0.1:${(await lines.next()).value}`;
    const body = JSON.stringify({ type: "job.completed", data: { id: "0f8b", note: "wébale" } });
    const send = async (signedWith: string): Promise<number> => {
      const headers = signatureHeaders({ id: "msg_0f8b", sentAt: new Date(), body }, [signedWith]);
      return (await fetch(url, { method: "POST", headers, body })).status;
    };
    expect(await send(makeSecret())).toBe(400);
    expect(await send(secret)).toBe(204);
    expect((await lines.next()).value).toBe("job.completed 0f8b");
  } finally {
    child.kill();
  }
});
