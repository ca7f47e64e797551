import type { Page } from "playwright-core";
import { accountSections } from "../../../functions/console/account/pages.ts";
import { ApiClient } from "../../support/api-client.ts";
import { newPerson, type Person, register } from "../../support/console-visit.ts";
import { codeOf, secretIn } from "../../support/second-factor.ts";
import { type ConsolePage, consolePages } from "../console-pages.ts";
import { type Actor, linkMailedTo, verify } from "./people.ts";

/** A page in one state. */
export interface Scene {
  /** Names the page: scenes with the same name stand together. */
  readonly page: string;
  readonly state: string;
  readonly as: Actor;
  readonly path: string;
  /** By default 200. */
  readonly status?: number;
  /** What the person does before the picture is taken. */
  readonly act?: (page: Page, url: string) => Promise<unknown>;
  /** The scene whose page leads to this one by a step, which is also the last one that `act` takes. */
  readonly follows?: { readonly scene: Scene; readonly step: (page: Page, url: string) => Promise<unknown> };
  /** Responses to forms and scripts that never come, so the page waits. */
  readonly holds?: RegExp;
  /** It shows what only `fillLists` and the account with most bring about. */
  readonly isFilled?: true;
}

/** Opens a page in its state. @param shown what the page shows now. @throws Error when it responds with another status. */
export const openScene = async (
  page: Page,
  url: string,
  { holds, path, status = 200, act, follows }: Scene,
  shown?: Scene,
): Promise<void> => {
  if (follows && follows.scene === shown) {
    await follows.step(page, url);
    return;
  }
  if (holds) await page.route(holds, () => undefined);
  const response = await page.goto(`${url}${path}`);
  if (response?.status() !== status) throw new Error(`${path} responds with ${response?.status()}.`);
  await act?.(page, url);
};

/** `/console/playground?try=chat` as the name of a page: `playground-chat`. */
const nameOf = (path: string): string => {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const words = [
    pathname,
    ...["try", "section", "list", "q"].map((name) => searchParams.get(name) ?? ""),
  ].join(" ");
  return (
    words
      .replace(/^\/console\//, "")
      .replaceAll(/[^a-z0-9]+/gi, "-")
      .replaceAll(/^-|-$/g, "") || "home"
  );
};

type Start = Omit<Scene, "act" | "follows">;

/** States through which one person goes: each leads to the next by a step, which gets what the start returned. */
const flow = <Person extends object>(
  first: Start,
  start: (page: Page, url: string) => Promise<Person>,
  next: readonly (Start & { step: (page: Page, url: string, person: Person) => Promise<unknown> })[],
): Scene[] => {
  let person: Person;
  const scenes: [Scene, ...Scene[]] = [
    {
      ...first,
      act: async (page, url) => {
        person = await start(page, url);
      },
    },
  ];
  for (const { step: own, ...each } of next) {
    const [scene] = scenes;
    const step = (page: Page, url: string) => own(page, url, person);
    scenes.unshift({
      ...each,
      follows: { scene, step },
      act: async (page, url) => {
        await scene.act?.(page, url);
        await step(page, url);
      },
    });
  }
  return scenes.reverse();
};

const main = (page: Page) => page.locator("main");

const send = (page: Page) => main(page).locator("form .button[type=submit]").first().click();

/** Fills in fields by their names, and sends the form. */
const fillIn = async (page: Page, values: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, value] of Object.entries(values)) await main(page).locator(`[name=${name}]`).fill(value);
  await send(page);
  await page.waitForLoadState();
};

const stranger = (url: string) => register(url);

const signUpWith = async (page: Page, url: string): Promise<Person> => {
  const person = newPerson();
  const { username, email, password } = person;
  await page.goto(`${url}/console/sign-up`);
  await main(page).locator("[name=accepted_terms]").check();
  await fillIn(page, { username, email, password });
  return person;
};

/** Has a link to reset a password mailed, and opens it. */
const openReset = async (page: Page, url: string, person?: Person): Promise<Person> => {
  const known = person ?? (await stranger(url));
  await page.goto(`${url}/console/forgot-password`);
  await fillIn(page, { email: known.email });
  await page.goto(await linkMailedTo(url, known, "/reset-password"));
  return known;
};

/** The keys of an account outlive its password, if its address was verified before. */
const resetWithKeys = async (page: Page, url: string): Promise<void> => {
  const person = await stranger(url);
  for (const name of ["clinic-app", "radio-programmes-of-the-western-districts"])
    await new ApiClient(() => url).send("/auth/keys", { token: person.token, body: { name } });
  await verify(url, person);
  await openReset(page, url, person);
  await fillIn(page, { new_password: "nine cranes over the hill" });
};

const openVerification = async (page: Page, url: string): Promise<Person> => {
  const person = await stranger(url);
  await page.goto(await linkMailedTo(url, person, "verify-email"));
  return person;
};

const visitor = { as: "visitor", path: "/" } as const;

const entry: readonly Scene[] = [
  {
    ...{ page: "sign-up", state: "errors", as: "visitor", path: "/console/sign-up" },
    act: (page) => fillIn(page, { username: "na kato", email: "nakato@example", password: "short" }),
  },
  {
    ...{ page: "sign-up", state: "taken", as: "visitor", path: "/console/sign-up" },
    act: async (page, url) => {
      const { username, email, password } = await stranger(url);
      await main(page).locator("[name=accepted_terms]").check();
      await fillIn(page, { username, email: `a-${email}`, password });
    },
  },
  { page: "log-in", state: "to-continue", as: "visitor", path: "/console/log-in?next=/console/usage" },
  { page: "log-in", state: "logged-out", as: "visitor", path: "/console/log-in?after=log-out" },
  {
    ...{ page: "log-in", state: "empty", as: "visitor", path: "/console/log-in" },
    act: (page) => fillIn(page, { username: "", password: "" }),
  },
  {
    ...{ page: "log-in", state: "wrong", as: "visitor", path: "/console/log-in" },
    act: (page) => fillIn(page, { username: newPerson().username, password: "not the password" }),
  },
  {
    ...{ page: "forgot-password", state: "sent", as: "visitor", path: "/console/forgot-password" },
    act: (page) => fillIn(page, { email: newPerson().email }),
  },
  ...flow({ page: "reset-password", state: "link", ...visitor }, openReset, [
    {
      ...{ page: "reset-password", state: "error", ...visitor },
      step: (page) => fillIn(page, { new_password: "password" }),
    },
  ]),
  { page: "revoke-keys", state: "two", ...visitor, act: resetWithKeys },
  ...flow({ page: "verify-email", state: "password", ...visitor }, openVerification, [
    {
      ...{ page: "verify-email", state: "not-mine", ...visitor },
      step: (page) => main(page).locator("summary").click(),
    },
    {
      ...{ page: "verify-email", state: "done", ...visitor },
      step: (page, _url, { password }) => fillIn(page, { password }),
    },
  ]),
  {
    ...{ page: "verify-email", state: "logged-in", as: "visitor", path: "/" },
    act: async (page, url) => page.goto(await linkMailedTo(url, await signUpWith(page, url), "verify-email")),
  },
];

const local: readonly Scene[] = [
  { page: "local", state: "home", as: "visitor", path: "/_local" },
  { page: "local", state: "mails", as: "visitor", path: "/_local/mail" },
  { page: "local", state: "messages", as: "visitor", path: "/_local/messages" },
  { page: "local", state: "components", as: "visitor", path: "/_local/components" },
];

/** Logs in through the stand-in of a provider. */
const enterWith = async (page: Page, url: string, letter: string): Promise<void> => {
  await page.goto(`${url}/console/log-in`);
  await main(page).locator(`a[href*="/console/log-in/${letter}"]`).click();
  // Tests of the API use the other accounts of the stand-ins.
  await page.locator("[name=login]").first().fill("lanyero");
  await page.getByRole("button", { name: "Log in and go back" }).first().click();
  await page.waitForURL(/\/console(?:\/connect)?$/);
};

/** Comes from a second provider with the address of an account, without proving the account. */
const openConnect = async (page: Page, url: string): Promise<Page> => {
  await enterWith(page, url, "a");
  await page.context().clearCookies();
  await enterWith(page, url, "b");
  return page;
};

const providers: readonly Scene[] = [
  ...flow({ page: "connect", state: "prove", ...visitor }, openConnect, [
    {
      ...{ page: "connect", state: "sent", ...visitor },
      step: async (page) => {
        await main(page).locator("form .button").last().click();
        await page.waitForLoadState();
      },
    },
  ]),
  {
    ...{ page: "account-identities", state: "add", as: "one", path: "/console/account?section=security" },
    act: async (page) => {
      await main(page).locator('a[href*="identities/a"]').click();
      await page.waitForLoadState();
    },
  },
  {
    ...{ page: "account-confirm", state: "ways", as: "visitor", path: "/" },
    act: async (page, url) => {
      await enterWith(page, url, "a");
      await page.goto(`${url}/console/account/confirm`);
    },
  },
];

const openFirstRecording = async (page: Page): Promise<void> => {
  await main(page).locator('a[href*="/console/recordings/"]').first().click();
  await main(page).locator(".said li").first().waitFor();
};

const dayBefore = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** The states of an account's pages, beyond those of an empty account. */
const account: readonly Scene[] = [
  ...(["one", "many"] as const).flatMap((as): Scene[] => [
    { page: "console", state: as, as, path: "/console" },
    { page: "recordings", state: as, as, path: "/console/recordings" },
    { page: "documents", state: as, as, path: "/console/playground/document" },
    { page: "tokens", state: as, as, path: "/console/tokens" },
    { page: "usage", state: as, as, path: "/console/usage" },
    { page: "tier", state: as, as, path: "/console/tier" },
    ...accountSections.map((section) => ({
      page: `account-${section}`,
      state: as,
      as,
      path: `/console/account?section=${section}`,
    })),
  ]),
  {
    ...{ page: "usage", state: "too-many-days", as: "many" },
    path: `/console/usage?from=${dayBefore(399)}&to=${dayBefore(0)}`,
  },
  {
    ...{ page: "usage", state: "error", as: "one" },
    path: `/console/usage?from=${dayBefore(0)}&to=${dayBefore(5)}`,
  },
  { page: "usage", state: "no-request", as: "one", path: "/console/usage?request=unknown" },
  { page: "status", state: "measured", as: "many", path: "/status", isFilled: true },
  { page: "recording", state: "one", as: "one", path: "/console/recordings", act: openFirstRecording },
  {
    ...{ page: "tokens", state: "created", as: "empty", path: "/console/tokens" },
    act: async (page, url) => {
      await page.context().clearCookies();
      const { password } = await signUpWith(page, url);
      await page.goto(`${url}/console/tokens`);
      const form = main(page).locator("form", { has: page.locator("[name=name]") });
      await form.locator("[name=name]").fill("clinic-app");
      await form.locator("[name=password]").fill(password);
      await form.locator(".button[type=submit]").click();
      await page.waitForLoadState();
    },
  },
  {
    ...{ page: "tokens", state: "error", as: "empty", path: "/console/tokens" },
    act: async (page) => {
      const form = main(page).locator("form", { has: page.locator("[name=name]") });
      await form.locator(".button[type=submit]").click();
      await page.waitForLoadState();
    },
  },
];

/** Starts the set-up of a second factor for a new account. @returns its secret. */
const startSecondFactor = async (page: Page, url: string): Promise<Person & { secret: Uint8Array }> => {
  await page.context().clearCookies();
  const person = await signUpWith(page, url);
  await page.goto(`${url}/console/account/second-factor`);
  await fillIn(page, { password: person.password });
  return { ...person, secret: secretIn(await page.content()) };
};

const secondFactor = { page: "account-second-factor", as: "empty", path: "/" } as const;

/** The set-up of a second factor, and the second step of a login. */
const secondFactors: readonly Scene[] = flow({ ...secondFactor, state: "scan" }, startSecondFactor, [
  { ...secondFactor, state: "wrong", step: (page) => fillIn(page, { code: "000000" }) },
  {
    ...{ ...secondFactor, state: "codes" },
    step: (page, _url, { secret }) => fillIn(page, { code: codeOf(secret) }),
  },
  {
    ...{ ...secondFactor, state: "on" },
    step: (page, url) => page.goto(`${url}/console/account/second-factor`),
  },
  {
    ...{ page: "log-in-code", state: "empty", ...visitor },
    step: async (page, url, { username, password }) => {
      await page.context().clearCookies();
      await page.goto(`${url}/console/log-in`);
      await fillIn(page, { username, password });
    },
  },
  {
    ...{ page: "log-in-code", state: "wrong", ...visitor },
    step: (page) => fillIn(page, { code: "000000" }),
  },
]);

const tryIt = async (page: Page): Promise<void> => {
  await main(page).locator("[name=text]").first().fill("Good morning, how are you?");
  await main(page).locator("[data-run]").click();
};

const playground: readonly Scene[] = [
  {
    ...{
      page: "playground-translate",
      state: "result",
      as: "one",
      path: "/console/playground?try=translate",
    },
    act: async (page) => {
      await tryIt(page);
      await main(page).locator(".answer").waitFor();
    },
  },
  {
    ...{
      page: "playground-translate",
      state: "loading",
      as: "one",
      path: "/console/playground?try=translate",
    },
    holds: /\/tasks\//,
    act: tryIt,
  },
  { page: "playground-chat", state: "account", as: "one", path: "/console/playground?try=chat" },
];

/** Opens the page of a new account. @returns its address. */
const openStranger = async (page: Page, url: string): Promise<{ address: string }> => {
  const { username } = await stranger(url);
  await page.goto(`${url}/console/admin?q=${username}`);
  await main(page).getByRole("link", { name: username }).click();
  await main(page).getByRole("link", { name: "Change the plan" }).waitFor();
  return { address: page.url() };
};

const disable = async (page: Page): Promise<void> => {
  await main(page).locator("summary", { hasText: "Disable the account" }).click();
  await main(page).getByRole("button", { name: "Disable the account" }).click();
  await main(page).getByText("The account is disabled.").waitFor();
};

const ofAccount = { page: "admin-account", as: "operator", path: "/console/admin" } as const;

/** The states of the operators' pages. */
const operators: readonly Scene[] = [
  ...flow({ ...ofAccount, state: "new" }, openStranger, [
    {
      ...{ ...ofAccount, state: "act" },
      step: async (page) => {
        await main(page).getByRole("link", { name: "Change the plan" }).click();
        await main(page).locator("[name=password]").waitFor();
      },
    },
    {
      ...{ ...ofAccount, state: "error" },
      step: async (page, _url, { address }) => {
        await page.goto(address);
        await main(page).getByRole("link", { name: "Delete the account" }).click();
        await main(page).locator("[name=typed_username]").fill("someone else");
        await main(page).locator("[name=password]").fill("not the password");
        await main(page).locator("form .danger").last().click();
        await main(page).getByRole("alert").first().waitFor();
      },
    },
    {
      ...{ ...ofAccount, state: "disabled" },
      step: async (page, _url, { address }) => {
        await page.goto(address);
        await disable(page);
      },
    },
    {
      ...{ page: "admin-audit", state: "acts", as: "operator", path: "/console/admin" },
      step: (page, url) => page.goto(`${url}/console/admin/audit`),
    },
  ]),
  {
    ...{ ...ofAccount, state: "keys", path: "/console/admin?q=4", isFilled: true },
    act: (page) => main(page).locator("tbody a").first().click(),
  },
  {
    ...{ ...ofAccount, state: "decide", path: "/console/admin/requests", isFilled: true },
    act: (page) => main(page).getByRole("link", { name: "Decide" }).first().click(),
  },
  {
    ...{ page: "admin-jobs-failed", state: "open", as: "operator", path: "/console/admin/jobs?list=failed" },
    isFilled: true,
    act: (page) => main(page).locator("summary").first().click(),
  },
  { page: "admin", state: "nothing-found", as: "operator", path: "/console/admin?q=nothing-like-this" },
  { page: "admin", state: "refused", as: "empty", path: "/console/admin", status: 403 },
];

/** A request from a page of the documentation, with its response. */
const documentation: readonly Scene[] = [
  {
    ...{ page: "docs-listJobs", state: "response", as: "empty", path: "/docs/listJobs" },
    act: async (page) => {
      await page.getByRole("button", { name: "Send request" }).click();
      await main(page).locator("[data-result] code").getByText("jobs").waitFor();
    },
  },
];

const ofPage = ({ path, isPersonal = false, isOperators = false, status = 200 }: ConsolePage): Scene => ({
  page: nameOf(path),
  state: isPersonal ? "empty" : status === 200 ? "visitor" : "refused",
  as: isOperators ? "operator" : isPersonal ? "empty" : "visitor",
  path,
  status,
});

/** Every page in its first state, then the other states. */
const all: readonly Scene[] = [
  ...consolePages.map(ofPage),
  ...entry,
  ...providers,
  ...account,
  ...secondFactors,
  ...playground,
  ...operators,
  ...documentation,
  ...local,
];

/** @throws Error when two scenes would have the same pictures. */
const requireDistinct = (each: readonly Scene[]): readonly Scene[] => {
  const names = each.map(({ page, state }) => `${page}, ${state}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two scenes are called ${twice}.`);
  return each;
};

/** The scenes by their pages, in the order of the table of pages. */
export const scenes = requireDistinct([...Map.groupBy(all, ({ page }) => page).values()].flat());
