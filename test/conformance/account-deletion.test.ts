import { describe, expect, it } from "vitest";
import { deleteAccountOperation } from "../../functions/auth/account-contract.ts";
import { call, createAccount, expectError, logIn } from "../support/client.ts";
import { errorBody } from "../support/declared.ts";

const remove = (token: string | undefined, password: unknown) =>
  call(deleteAccountOperation.path, { method: "DELETE", token, body: { password } });

const register = (registration: object) => call("/auth/register", { body: registration });

describe("DELETE /auth/me", () => {
  it("deletes the account for good: no token, no password and no link opens anything", async () => {
    const { username, email, password, token } = await createAccount();
    const other = (await logIn(username, password)).body.access_token;
    const speech = (await call("/tasks/audio/speech", { token, body: { text: "Oli otya?" } })).body;
    expect((await fetch(speech.audio_url)).status).toBe(200);

    const response = await remove(token, password);
    expect(response).toMatchObject({ status: 204, body: "" });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(response.headers.get("access-control-allow-origin")).toBe("*");

    for (const gone of [token, other]) {
      expectError(await call("/auth/me", { token: gone }), 401, "unauthenticated");
      expectError(await remove(gone, password), 401, "unauthenticated");
    }
    for (const name of [username, email]) expect((await logIn(name, password)).status).toBe(401);
    expect((await fetch(speech.audio_url)).status).toBe(404);
  });

  it("frees name and address for another person, who gets nothing of the old account", async () => {
    const { token, id, username, email, password } = await createAccount();
    await call("/auth/profile", { method: "PUT", token, body: { full_name: "Amina Nakato" } });
    expectError(await register({ username, email, password }), 409, "username_taken");
    expect((await remove(token, password)).status).toBe(204);
    const { status, body } = await register({ username, email, password: "nine cranes over the hill" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ username, full_name: null });
    expect(body.id).toBeGreaterThan(id);
    expectError(await call("/auth/me", { token }), 401, "unauthenticated");
    expect((await logIn(username, password)).status).toBe(401);
  });

  it("deletes nothing with a wrong password, without one, or without a valid token", async () => {
    const { token, password } = await createAccount();
    expectError(await remove(token, "not the password"), 401, "invalid_credentials");
    expectError(await remove(undefined, password), 401, "unauthenticated");
    expectError(await remove("not.a.token", password), 401, "unauthenticated");
    const { body } = await call("/auth/refresh-token", { method: "POST", token });
    expectError(await remove(token, password), 401, "unauthenticated");
    for (const missing of [undefined, "", 7, null]) {
      const response = await remove(body.access_token, missing);
      expect(response.status).toBe(422);
      expect(errorBody.safeParse(response.body).success).toBe(true);
    }
    expect((await call("/auth/me", { token: body.access_token })).status).toBe(200);
  });
});
