import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { chooseInspected } from "../../../infra/local/functions.ts";
import { choosePorts } from "../../../infra/local/ports.ts";
import { readLocalSettings } from "../../../infra/local/settings.ts";
import { runCommand } from "../../support/run-service.ts";

let other: Server | undefined;
afterEach(() => {
  other?.close();
});

/** Another program that has a port. */
const occupy = async (port: number): Promise<number> => {
  other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
};

describe("A start of the service", () => {
  it("ends with a message that says which port is in use", async () => {
    const port = await occupy(0);
    await expect(choosePorts(port, "127.0.0.1")).rejects.toThrow(new RegExp(`^Port ${port} is in use`));
  });

  it("ends with a message that says what a port is for, and which ports are free", async () => {
    const { api } = await choosePorts(0, "127.0.0.1");
    await occupy(api + 1);
    const { message } = (await choosePorts(api, "127.0.0.1").catch((error: Error) => error)) as Error;
    const wanted =
      /^Port (\d+), for the chat stream, is in use\. .* Start it with PORT=(\d+), where all six are free\.$/;
    const [, named, free = ""] = wanted.exec(message) ?? [];
    expect(named, message).toBe(String(api + 1));
    expect(await choosePorts(Number(free), "127.0.0.1")).toMatchObject({ api: Number(free) });
  });

  it("ends with a message for an address of another machine", async () => {
    await expect(choosePorts(0, "198.51.100.77")).rejects.toThrow(
      /^198\.51\.100\.77 is not an address of this machine/,
    );
  });

  it.each([
    [{ PORT: "abc" }, "PORT must be a whole number from 0 to 65000."],
    [{ FUNCTION_CONCURRENCY: "0" }, "FUNCTION_CONCURRENCY must be a whole number from 1."],
    [{ BASE_PATH: "prod/" }, "BASE_PATH must start with a slash and not end with one, as in /prod."],
  ])("ends with a message for %j", (variables, sentence) => {
    expect(() => readLocalSettings(variables)).toThrow(sentence);
  });

  it("ends with a message for a function to inspect that does not exist", async () => {
    await expect(chooseInspected("cat", readLocalSettings({}))).rejects.toThrow(
      /^There is no function cat; there are (\w+, )*chat, .*translate/,
    );
  });

  it("prints such a message alone, and its exit code says that it failed", async () => {
    const command = runCommand("infra/local/main.ts", [], { PORT: "abc", DATA_DIR: "/proc/none" });
    expect(await command.ended).toBe(1);
    expect(command.output()).toBe("PORT must be a whole number from 0 to 65000.\n");
  });
});
