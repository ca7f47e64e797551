import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guides } from "../../../functions/console/docs/guides/all-guides.ts";
import { makeSecret, signatureHeaders } from "../../../shared/recordings/callbacks/signature.ts";

const [code = ""] = (
  guides.find(({ name }) => name === "webhooks")?.parts("https://api.example.com") ?? []
).flatMap((part) => ("kind" in part && part.kind === "typescript" ? [part.code] : []));

const secret = makeSecret();
let receiver: ChildProcess;
let printed = "";
let port = "";

const firstLine = (): Promise<string> =>
  new Promise((resolve) => {
    receiver.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.includes("\n")) resolve(printed.split("\n")[0] ?? "");
    });
  });

beforeAll(async () => {
  // The receiver of the guide, on any port that is free.
  const program = code.replace(
    "listen(process.env.PORT ?? 8080)",
    "listen(0, '127.0.0.1', function () { console.log(this.address().port); })",
  );
  receiver = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  port = await firstLine();
});
afterAll(() => receiver.kill());

const deliver = (body: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/transcripts`, { method: "POST", body, headers: { ...headers } });

describe("The receiver of the guide to webhooks", () => {
  const body = JSON.stringify({ type: "job.completed", data: { id: "019ab0c4" } });
  const signed = (key: string) => signatureHeaders({ id: "msg_1", sentAt: new Date(), body }, [key]);

  it("takes what is signed with the account's secret, and nothing else", async () => {
    expect((await deliver(body, signed(secret))).status).toBe(204);
    expect((await deliver(body, signed(makeSecret()))).status).toBe(400);
    expect((await deliver(body.replace("completed", "failed"), signed(secret))).status).toBe(400);
    expect((await deliver(body, {})).status).toBe(400);
    expect(printed).toContain("job.completed 019ab0c4");
    expect(printed).not.toContain("job.failed");
  });
});
