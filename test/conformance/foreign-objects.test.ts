import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import {
  call,
  createAccount,
  expectError,
  type JsonResponse,
  logIn,
  newRegistration,
  outcomeOf,
  sharedAccount,
  type TestAccount,
} from "../support/client.ts";
import { formData } from "../support/multipart.ts";

let mine: TestAccount;
let theirs: TestAccount;
beforeAll(async () => {
  [mine, theirs] = await Promise.all([createAccount(), sharedAccount()]);
});

describe("an account", () => {
  it("cannot grant itself what only an operator grants", async () => {
    const body = {
      full_name: "Amina N.",
      account_type: "Admin",
      oauth_type: "IdentityProviderA",
      email_verified: true,
      email: theirs.email,
      id: theirs.id,
      username: theirs.username,
      disabled: false,
      token_epoch: 9,
      password: "another password",
      password_hash: "$argon2id$v=19$",
    };
    expect(await call("/auth/profile", { method: "PUT", token: mine.token, body })).toMatchObject({
      status: 200,
    });
    const { body: me } = await call("/auth/me", { token: mine.token });
    expect(me).toMatchObject({
      id: mine.id,
      username: mine.username,
      email: mine.email,
      account_type: "Free",
      oauth_type: "Credentials",
      email_verified: false,
    });
    expect(await logIn(mine.username, mine.password)).toMatchObject({ status: 200 });
    expect(JSON.stringify(me)).not.toMatch(/password|argon2|token_epoch/);
  });

  it("does not learn from a login whether a name exists", async () => {
    const known = await logIn(mine.username, "not the password");
    const unknown = await logIn(newRegistration().username, "not the password");
    const shape = ({ status, headers, body }: JsonResponse) => ({
      status,
      names: [...headers.keys()].sort(),
      body: { ...body, request_id: "" },
    });
    expect(known.status).toBe(401);
    expect(shape(unknown)).toEqual(shape(known));
  });
});

describe("stored speech", () => {
  let storageObject: string;
  beforeAll(async () => {
    const { status, body } = await call("/tasks/audio/speech", {
      token: mine.token,
      body: { text: "Oli otya?" },
    });
    expect(status).toBe(200);
    storageObject = body.storage_object;
  });

  const doors = [
    ["GET /tasks/audio/speech/url", "/tasks/audio/speech/url?storage_object="],
    ["GET /tasks/modal/tts/refresh-url", "/tasks/modal/tts/refresh-url?file_name="],
  ] as const;

  it.each(doors)("opens for its account through %s, and for no other", async (_route, door) => {
    const ask = (token: string) => call(`${door}${encodeURIComponent(storageObject)}`, { token });
    expect(await ask(mine.token)).toMatchObject({ status: 200 });
    const foreign = await ask(theirs.token);
    expectError(foreign, 404, "not_found");
    const never = await call(
      `${door}${encodeURIComponent(storageObject.replace(/[0-9a-f]{32}/, "0".repeat(32)))}`,
      {
        token: mine.token,
      },
    );
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...never.body, request_id: "" });
  });

  it.each(doors)("is the only thing that %s opens", async (_route, door) => {
    const folder = storageObject.slice(0, storageObject.lastIndexOf("/"));
    const names = [
      "../../etc/passwd",
      "/etc/passwd",
      `/${storageObject}`,
      `./${storageObject}`,
      `${folder}/../${theirs.id}/${storageObject.slice(folder.length + 1)}`,
      `${storageObject}\0`,
      `${storageObject}\n`,
      `${storageObject}?versionId=1`,
      encodeURIComponent(storageObject),
      storageObject.toUpperCase(),
      `uploads/${randomUUID()}/a.wav`,
      folder,
      "",
    ];
    for (const name of names) {
      const response = await call(`${door}${encodeURIComponent(name)}`, { token: mine.token });
      expect(["404 not_found", "422 validation_failed"], JSON.stringify(name)).toContain(outcomeOf(response));
    }
  });
});

describe("an upload", () => {
  let fileId: string;
  beforeAll(async () => {
    const { body } = await call("/tasks/generate-upload-url", {
      token: mine.token,
      body: { file_name: "interview.wav", content_type: "audio/wav" },
    });
    fileId = body.file_id;
    await fetch(body.upload_url, { method: "PUT", headers: { "Content-Type": "audio/wav" }, body: "RIFF" });
  });

  const transcribe = (file_id: string, token: string) =>
    call("/tasks/audio/transcriptions", { token, body: formData({ file_id, language: "lug" }) });
  const transcribeAsBefore = (name: string, token: string) =>
    call("/tasks/stt_from_gcs", {
      token,
      body: new URLSearchParams({ gcs_blob_name: name, language: "lug" }),
    });

  it("of one account is to every other as if it were not there", async () => {
    const [foreign, never] = [
      await transcribe(fileId, theirs.token),
      await transcribe(randomUUID(), theirs.token),
    ];
    expectError(foreign, 404, "not_found");
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...never.body, request_id: "" });
    const asBefore = await transcribeAsBefore(`uploads/${fileId}/interview.wav`, theirs.token);
    const neverBefore = await transcribeAsBefore(`uploads/${randomUUID()}/interview.wav`, theirs.token);
    expectError(asBefore, 400, "bad_request");
    expectError(neverBefore, 400, "bad_request");
    expect({ ...asBefore.body, request_id: "" }).toEqual({ ...neverBefore.body, request_id: "" });
  });

  it.each(["../speech", "..%2f..%2fetc", "uploads/", "*", "%00"])("is not found as %s", async (name) => {
    expectError(await transcribe(name, mine.token), 422, "validation_failed");
    expectError(await transcribeAsBefore(`uploads/${name}/a.wav`, mine.token), 400, "bad_request");
  });
});
