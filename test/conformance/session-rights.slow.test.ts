import { randomUUID } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { anyNextEpoch, type StoredAccount } from "../../shared/accounts/access/account.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import {
  type AccountsRepository,
  createAccountsRepository,
} from "../../shared/accounts/repositories/accounts-repository.ts";
import { newRecoveryCodes, recoveryCodeDigest } from "../../shared/accounts/second-factor/recovery-codes.ts";
import { sessionKeys } from "../../shared/accounts/sessions/keys.ts";
import { hashPassword } from "../../shared/accounts/sign-in/passwords.ts";
import { cookiesAt } from "../../shared/pages/server/cookies.ts";
import { formTokenFor } from "../../shared/pages/server/form-token.ts";
import {
  createSessionsRepository,
  type SessionStart,
  withPassword,
} from "../../shared/pages/sessions/sessions-repository.ts";
import { baseUrl } from "../support/client.ts";
import { FormVisitor, type SeenPage } from "../support/form-visitor.ts";
import { openStoredData, type StoredData } from "../support/stored-data.ts";

/**
 * What a form needs besides a session: nothing, the proof of `requiredProof`, or an operator's session that has shown the second
 * factor (and a code). `own`: fields of its own that the page requires. `anybody`: no session.
 */
type Need = "anybody" | "session" | "proof" | "own" | "operator" | "operator-proof";

/** Every form of the console, by the id of its page and its action; a new form needs a row. */
const forms: Readonly<Record<string, readonly [Need, Readonly<Record<string, string>>?]>> = {
  home: ["anybody"],
  playground: ["anybody"],
  playgroundSpeech: ["anybody"],
  forgotPassword: ["anybody"],
  logIn: ["anybody"],
  logInCode: ["anybody"],
  logOut: ["anybody"],
  signUp: ["anybody"],
  // Mailed links, and logins at a provider, which wait in a cookie.
  resetPassword: ["anybody"],
  "revokeKeys revoke": ["anybody"],
  "revokeKeys remove": ["anybody"],
  "verifyEmail verify": ["anybody"],
  "verifyEmail verify-with-password": ["anybody"],
  "verifyEmail disown": ["anybody"],
  connectIdentityByLink: ["anybody"],
  "connectIdentity password": ["anybody"],
  "connectIdentity signed-in": ["anybody"],
  "connectIdentity mail": ["anybody"],

  "overview send-verification": ["session"],
  playgroundToken: ["session"],
  docsToken: ["session"],
  recordingsToken: ["session"],
  "documents delete": ["session", { id: "none" }],
  "recording delete": ["session"],
  "recording translate": ["session", { language: "lug" }],
  "recording name-speaker": ["session", { label: "A", name: "Nakato" }],
  tier: ["session", { purpose: "A clinic", amount: "Twice as much" }],
  confirmOwner: ["session"],
  confirmOwnerByLink: ["session", { token: "unknown" }],
  "tokens revoke-key": ["session", { key: "k3f0a2c1e9b7d" }],
  "tokens revoke-all-keys": ["session"],
  "tokens revoke-all-tokens": ["session"],
  "account save-profile": ["session"],
  "account send-verification": ["session"],
  "account log-out-everywhere": ["session"],
  "account accept-terms": ["session", { version: "1" }],
  "account test-webhook": ["session", { url: "https://hooks.example.com/" }],
  "account resend-webhook": ["session", { job: "none" }],

  "tokens make-key": ["proof", { forms_used: "0", name: "kiosk" }],
  "tokens make-token": ["proof", { forms_used: "0" }],
  "account set-password": ["proof", { first_password: "nine cranes over the hill" }],
  "account unlink": ["proof", { identity: "none" }],
  "account show-secret": ["proof"],
  "account replace-secret": ["proof"],
  "account export-account": ["proof"],
  "account export-link": ["proof"],
  "account delete-account": ["proof"],
  "secondFactor start": ["proof"],
  joinIdentity: ["proof"],

  // The old password; the code of a set-up that this session has started; a code, and the password as well.
  "account change-password": ["own"],
  "secondFactor turn-on": ["own"],
  "secondFactor renew": ["own"],
  "secondFactor turn-off": ["own"],

  "adminAccount disable": ["operator"],
  "adminAccount enable": ["operator"],
  "adminAccount allow-mail": ["operator"],
  "adminAccount revoke-keys": ["operator"],
  "adminJobs cancel": ["operator", { user_id: "1", job_id: "none" }],
  "adminJobs retry": ["operator", { user_id: "1", job_id: "none" }],
  "adminDeliveries retry-message": ["operator", { queue: "mail", message: "none" }],
  "adminDeliveries retry-callback": ["operator", { user_id: "1", job_id: "none" }],
  "adminAccount change-tier": ["operator-proof", { type: "Premium" }],
  "adminAccount decide": ["operator-proof", { decision: "declined", note: "" }],
  "adminAccount delete": ["operator-proof"],
  "adminUsage export": ["operator-proof", { month: "2026-11" }],
};

type Outcome = "done" | "password" | "code" | "log in again" | "log in" | "code page" | "set-up" | "refused";

/** What each kind of session may do with the forms of each need, before a proof is typed. */
const kinds = {
  "with the password, without a second factor": {
    start: withPassword,
    rights: { session: "done", proof: "password", operator: "set-up", "operator-proof": "set-up" },
  },
  "with the password, from before the second factor was set up": {
    start: withPassword,
    hasFactor: true,
    hasEnded: true,
    rights: { session: "log in", proof: "log in", operator: "log in", "operator-proof": "log in" },
  },
  "with the password alone, stored by an earlier release, with a second factor": {
    start: withPassword,
    hasFactor: true,
    isOld: true,
    rights: { session: "done", proof: "code", operator: "code page", "operator-proof": "code page" },
  },
  "with the password and the second factor": {
    start: { with: "password", showedFactor: true },
    hasFactor: true,
    rights: { session: "done", proof: "code", operator: "done", "operator-proof": "code" },
  },
  "through a provider": {
    start: { with: "provider", showedFactor: false },
    rights: { session: "done", proof: "log in again", operator: "set-up", "operator-proof": "set-up" },
  },
  "through a provider that has just asked the person": {
    start: { with: "provider", showedFactor: false, provedAt: Math.floor(Date.now() / 1_000) },
    rights: { session: "done", proof: "done", operator: "set-up", "operator-proof": "set-up" },
  },
  "through a provider, from before the second factor was set up": {
    start: { with: "provider", showedFactor: false, provedAt: Math.floor(Date.now() / 1_000) },
    hasFactor: true,
    hasEnded: true,
    rights: { session: "log in", proof: "log in", operator: "log in", "operator-proof": "log in" },
  },
  "through a provider, with the second factor": {
    start: { with: "provider", showedFactor: true, provedAt: Math.floor(Date.now() / 1_000) },
    hasFactor: true,
    rights: { session: "done", proof: "code", operator: "done", "operator-proof": "code" },
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly start: SessionStart;
      readonly hasFactor?: true;
      readonly hasEnded?: true;
      readonly isOld?: true;
      readonly rights: Readonly<Record<Exclude<Need, "anybody" | "own">, Outcome>>;
    }
  >
>;
type Kind = keyof typeof kinds;

const password = "seven storks by the lake";
const { nameOf } = cookiesAt(baseUrl);

const declared = z.object({ id: z.string(), path: z.string(), form: z.instanceof(z.ZodType) });

const formSchema = z.object({
  properties: z
    .object({ action: z.object({ const: z.string(), enum: z.array(z.string()) }).partial() })
    .partial()
    .optional(),
});
const formSchemas = z.union([
  z.object({ oneOf: z.array(formSchema) }).transform(({ oneOf }) => oneOf),
  z.object({ anyOf: z.array(formSchema) }).transform(({ anyOf }) => anyOf),
  formSchema.transform((only) => [only]),
]);

/** The names of the forms of a page. */
const formNames = ({ id, form }: z.output<typeof declared>): string[] => {
  const schemas = formSchemas.parse(z.toJSONSchema(form, { io: "input", unrepresentable: "any" }));
  return schemas.flatMap(({ properties: { action } = {} }) => {
    const actions = action?.const === undefined ? (action?.enum ?? []) : [action.const];
    return actions.length === 0 ? [id] : actions.map((name) => `${id} ${name}`);
  });
};

/** The addresses of all forms that the sources declare, by their names. */
const declaredForms = async (): Promise<Map<string, string>> => {
  const files = globSync("{functions/console,functions/operators}/**/*.{ts,tsx}").filter((file) =>
    readFileSync(file, "utf8").includes("definePage({"),
  );
  const modules: unknown[] = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
  const values = modules.flatMap((module) => Object.values(z.looseObject({}).parse(module)));
  const pages = values.flatMap((value) => declared.safeParse(value).data ?? []);
  return new Map(pages.flatMap((page) => formNames(page).map((name) => [name, page.path] as const)));
};

const secondFactorOf = (codes: readonly string[]) => ({
  // No code of an app opens it: the recovery codes do.
  secret: "not a sealed secret",
  since: new Date().toISOString(),
  last_step: 0,
  codes: Object.fromEntries(codes.map((code) => [recoveryCodeDigest(code), true])),
});

const errorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Reads what the response to a program says about the form that was sent. */
const outcomeOf = ({ headers, html }: SeenPage): Outcome => {
  const to = headers.get("location") ?? "";
  if (to.includes("/console/log-in/code?")) return "code page";
  if (to.includes("/second-factor?next=")) return "set-up";
  if (!headers.get("content-type")?.includes("json")) return "done";
  const { code, message } = errorBody.safeParse(JSON.parse(html)).data?.error ?? { code: "", message: "" };
  if (code === "unauthenticated") return "log in";
  if (code === "invalid_code") return "code";
  if (code === "invalid_credentials") return "password";
  if (code === "forbidden")
    return message.startsWith("First confirm that it is you.") ? "log in again" : "refused";
  // The use case itself may refuse what it was sent, such as an unknown job.
  return "done";
};

describe.runIf(inject("isLocal"))("The forms of the console", () => {
  let paths: Map<string, string>;
  let stored: StoredData;
  let accounts: AccountsRepository;
  let hash: string;
  let other: StoredAccount;

  const newAccount = async (fields: { readonly password_hash?: string }, identity?: string) => {
    const username = `rights-${randomUUID()}`;
    const person = { username, email: `${username}@example.com`, organization: "Unknown" };
    return identity === undefined
      ? accounts.create({ ...person, ...fields })
      : accounts.create(person, {
          identity: { issuer: "https://id.example.com", subject: identity },
          oauthType: "IdentityProviderA",
          emailVerified: true,
        });
  };

  beforeAll(async () => {
    paths = await declaredForms();
    stored = await openStoredData();
    accounts = createAccountsRepository(stored.table);
    hash = await hashPassword(password);
    other = await newAccount({ password_hash: hash });
  });

  /** A browser with a session of a kind, in a new account, and codes to confirm with. */
  const begin = async (kind: Kind, isOperator: boolean) => {
    const { table } = stored;
    const {
      start,
      hasFactor,
      hasEnded,
      isOld,
    }: (typeof kinds)[Kind] & {
      hasFactor?: true;
      hasEnded?: true;
      isOld?: true;
    } = kinds[kind];
    const account = await newAccount(
      { password_hash: hash },
      start.with === "provider" ? randomUUID() : undefined,
    );
    const { id: userId, token_epoch: tokenEpoch } = account;
    if (isOperator) await accounts.setAccountType(userId, "Admin");
    const sessions = createSessionsRepository(table);
    const { secret, session } = await sessions.begin({ userId, tokenEpoch }, start, undefined);
    const codes = newRecoveryCodes();
    if (hasFactor) {
      await table.update({
        Key: accountKeys.profile(userId),
        UpdateExpression: "SET second_factor = :factor",
        ExpressionAttributeValues: { ":factor": secondFactorOf(codes) },
      });
    }
    if (hasEnded) await table.update(anyNextEpoch(userId));
    if (isOld) {
      await table.update({
        Key: sessionKeys.session(userId, session.id),
        UpdateExpression: "REMOVE started_with, showed_factor, proved_at",
      });
    }
    const visitor = new FormVisitor();
    visitor.cookies.set(nameOf("session"), secret);
    const send = async (name: string, typed: Readonly<Record<string, string>>): Promise<Outcome> => {
      const [, action] = name.split(" ");
      const path = (paths.get(name) ?? "")
        .replace("{provider}", "a")
        .replace("/accounts/{id}", `/accounts/${other.id}`)
        .replace("{id}", "none");
      const form = {
        ...typed,
        ...(action === undefined ? {} : { action }),
        form_token: formTokenFor(secret),
      };
      return outcomeOf(await visitor.ask(path, { form, headers: { Accept: "application/json" } }));
    };
    return { send, codes };
  };

  const fieldsOf = (name: string) => {
    const [, fields = {}] = forms[name] ?? [];
    return name === "adminAccount delete" ? { typed_username: other.username } : fields;
  };

  const formsWith = (needs: readonly Need[]) =>
    Object.entries(forms).flatMap(([name, [need]]) => (needs.includes(need) ? [{ name, need }] : []));

  it("all have a row in the table of what sessions may do", () => {
    expect(Object.keys(forms).toSorted()).toEqual([...paths.keys()].toSorted());
  });

  it.each(Object.keys(kinds) as Kind[])("let a session do what the table says: %s", async (kind) => {
    const rights: Readonly<Record<string, Outcome>> = kinds[kind].rights;
    const differing: string[] = [];
    for (const { name, need } of formsWith(["session", "proof", "operator", "operator-proof"])) {
      const { send } = await begin(kind, need.startsWith("operator"));
      const outcome = await send(name, fieldsOf(name));
      if (outcome !== rights[need]) differing.push(`${name}: ${outcome} instead of ${rights[need]}`);
    }
    expect(differing).toEqual([]);
  });

  it("that need a proof accept it: the password, or a code where there is a second factor", async () => {
    const differing: string[] = [];
    for (const { name, need } of formsWith(["proof", "operator-proof"])) {
      const kind =
        need === "proof"
          ? "with the password, without a second factor"
          : "with the password and the second factor";
      const { send, codes } = await begin(kind, need === "operator-proof");
      const typed = need === "proof" ? password : (codes[0] ?? "");
      const outcome = await send(name, { ...fieldsOf(name), password: typed });
      if (outcome !== "done") differing.push(`${name}: ${outcome} with the password`);
      // The account that operators delete is another one each time.
      if (name === "adminAccount delete") other = await newAccount({ password_hash: hash });
      if (need !== "proof") continue;
      const second = await begin("with the password and the second factor", false);
      const coded = await second.send(name, { ...fieldsOf(name), password: second.codes[0] ?? "" });
      if (coded !== "done") differing.push(`${name}: ${coded} with a code`);
      const third = await begin("with the password and the second factor", false);
      const alone = await third.send(name, { ...fieldsOf(name), password });
      if (alone !== "code") differing.push(`${name}: ${alone} with the password instead of a code`);
    }
    expect(differing).toEqual([]);
  });
});
