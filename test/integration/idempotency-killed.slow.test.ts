import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../support/run-service.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";
import { functionMilliseconds, translateOnce } from "./idempotent-process.ts";

let table: TestTable;
let folder: Parameters<typeof translateOnce>[0];
/** How often the model was called for each text. */
const requested = new Map<string, number>();
/** What the model does when it is called. */
let behave: (response: ServerResponse, text: string) => void;

const model = createServer((request, response) => {
  const text = request.url?.slice(1) ?? "";
  requested.set(text, (requested.get(text) ?? 0) + 1);
  behave(response, text);
});
const respond = (response: ServerResponse) => response.end("Webale");

beforeAll(async () => {
  table = await startTestTable();
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  model.closeAllConnections();
  model.close();
  await table.close();
});
beforeEach(async () => {
  // Its requests of a minute are enough for all that is sent.
  const id = await createTestAccount(table.open(), "Admin");
  const { port } = model.address() as AddressInfo;
  folder = {
    endpoint: table.address.endpoint,
    table: table.address.name,
    userId: String(id),
    model: `http://127.0.0.1:${port}`,
  };
  requested.clear();
});

/** Sends the texts by a process of its own, and kills that when the test says so, and waits for its end. */
const sendAndKill = async (texts: readonly string[], until: Promise<unknown>) => {
  const { endpoint, table: name, userId, model: address } = folder;
  const args = [endpoint, name, userId, address, ...texts];
  const { child, ended, output } = runCommand("test/integration/idempotent-process.ts", args, {
    LOG_LEVEL: "SILENT",
  });
  await Promise.race([until, ended]);
  child.kill("SIGKILL");
  expect(await ended, output()).not.toBe(1);
};

const again = async (text: string, milliseconds = 0) => {
  const { status, headers } = await translateOnce(folder, text, () => Date.now() + milliseconds);
  return {
    status,
    isRepeated: headers["Idempotent-Replayed"] === "true",
    retryAfter: Number(headers["Retry-After"]),
  };
};

describe("When the process is killed that carries a request out", () => {
  it("while its model works, the key is free when the function's time has passed, and no sooner", async () => {
    const { promise: started, resolve } = Promise.withResolvers<void>();
    behave = () => resolve();
    await sendAndKill(["one"], started);
    behave = respond;
    expect(await again("one")).toMatchObject({ status: 409, retryAfter: 5 });
    // From here on the lock may last another second, and the process had started before it was killed.
    expect((await again("one", functionMilliseconds - 60_000)).status).toBe(409);
    expect(requested.get("one")).toBe(1);
    expect(await again("one", functionMilliseconds + 1_000)).toMatchObject({
      status: 200,
      isRepeated: false,
    });
    expect(await again("one", functionMilliseconds + 1_000)).toMatchObject({ status: 200, isRepeated: true });
    expect(requested.get("one")).toBe(2);
  });

  it.each([1, 2, 3])(
    "at any time, each of its pairs runs once, or again after that time (%i)",
    async (round) => {
      const texts = Array.from({ length: 24 }, (_, index) => `pair-${round}-${index}`);
      const { promise: isHalf, resolve: noteHalf } = Promise.withResolvers<string>();
      const { promise: isStored, resolve: noteStored } = Promise.withResolvers<void>();
      let responded = 0;
      behave = (response, text) => {
        const position = requested.size;
        const isFirstHalf = position <= texts.length / 2;
        const finish = () => {
          respond(response);
          responded += 1;
          if (responded === texts.length / 2) noteHalf(text);
        };
        // Some get a response at once and some later, so that the end meets them at every step.
        void (isFirstHalf ? Promise.resolve() : isStored).then(() => setTimeout(finish, (position * 7) % 40));
      };
      const untilOneIsStored = async () => {
        const text = await isHalf;
        await expect.poll(async () => (await again(text)).isRepeated).toBe(true);
        noteStored();
        await sleep(20 * round);
      };
      await sendAndKill(texts, untilOneIsStored());
      // What the process had sent before its end may still arrive.
      await sleep(100);
      const before = new Map(requested);
      const first = await Promise.all(texts.map((text) => again(text)));
      for (const [index, text] of texts.entries()) {
        const { status, isRepeated } = first[index] ?? {};
        const isCarriedOutNow = status === 200 && !isRepeated;
        expect([200, 409]).toContain(status);
        // A request whose lock was taken does not run a second time while its function might live.
        expect(requested.get(text) ?? 0).toBe((before.get(text) ?? 0) + (isCarriedOutNow ? 1 : 0));
        if (isCarriedOutNow) expect(before.get(text) ?? 0).toBe(0);
      }
      const later = await Promise.all(texts.map((text) => again(text, functionMilliseconds + 1_000)));
      expect(later.filter(({ status }) => status !== 200)).toEqual([]);
      for (const [index, { status }] of first.entries()) {
        expect(later[index]?.isRepeated).toBe(status === 200);
        expect(requested.get(texts[index] ?? "")).toBeLessThanOrEqual(status === 200 ? 1 : 2);
      }
      // It includes what the process completed before its end, and what it had only started.
      expect(first.some(({ isRepeated }) => isRepeated)).toBe(true);
    },
  );
});
