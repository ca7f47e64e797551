import { randomBytes } from "node:crypto";
import * as z from "zod";
import { runCommand } from "../support/run-service.ts";

/** An account, by default of the highest tier: only the limit by minute could stop it. */
export interface LoadAccount {
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

/** Registers an account, raises it to a tier and signs it in. */
export const createAccount = async (
  url: string,
  dataDirectory: string,
  tier = "Admin",
): Promise<LoadAccount> => {
  const username = `load-${randomBytes(6).toString("hex")}`;
  const password = "seven storks by the lake";
  const registered = await fetch(`${url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, email: `${username}@example.com`, password }),
  });
  if (!registered.ok) throw new Error(`No account could be registered: ${await registered.text()}`);
  const promotion = runCommand("infra/commands/account.ts", [username, "--type", tier], {
    DATA_DIR: dataDirectory,
  });
  if ((await promotion.ended) !== 0) throw new Error(promotion.output());
  const response = await fetch(`${url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username, password }),
  });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(await response.json());
  return { username, password, token };
};
