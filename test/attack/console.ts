import { type Attack, attacksOf, heldIf, refusedIf } from "./attack.ts";
import { logIn, openBrowser, signedIn } from "./browser.ts";
import { ask, attacksByVisitor, newVisitor } from "./visitor.ts";

const elsewhere = "https://elsewhere.example";
const account = "/console/account";

/** What a browser would run, anywhere in a page. */
const injected = `"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}`;

/** The console: forms, sessions, ways away, guessed passwords and what pages show. */
export const consoleAttacks: readonly Attack[] = [
  ...attacksOf({ number: 15, needs: ["log-ins"] })({
    "forms of the console that another site sends: without a token, with a thief's, from elsewhere": async (
      target,
    ) => {
      const [owner, thief] = [await newVisitor(target), await newVisitor(target)];
      const browser = await signedIn(target, owner);
      const own = await browser.tokenOn(account);
      const foreign = await (await signedIn(target, thief)).tokenOn(account);
      const form = { action: "delete-account", password: owner.password };
      const responses = [
        await browser.send(account, form),
        await browser.send(account, { ...form, form_token: foreign }),
        await browser.send(account, { ...form, form_token: `${own}A` }),
        await browser.send(account, { ...form, form_token: own }, { Origin: elsewhere }),
        await browser.send(account, { ...form, form_token: own }, { "Sec-Fetch-Site": "cross-site" }),
        await browser.send(account, { ...form, form_token: own }, { "Sec-Fetch-Site": "same-site" }),
        await browser.send(
          account,
          { ...form, form_token: own },
          { Origin: "null", "Sec-Fetch-Site": "none" },
        ),
      ];
      const isStill = await browser.isIn();
      return refusedIf(
        isStill && responses.every(({ status }) => status === 403),
        `${responses.map(({ status }) => status).join(" ")}, the account ${isStill ? "is still there" : "is gone"}`,
      );
    },
    "a session that a thief has put into a browser before its owner logs in": async (target) => {
      const [owner, thief] = [await newVisitor(target), await newVisitor(target)];
      const thiefs = await signedIn(target, thief);
      const browser = openBrowser(target);
      browser.putCookie(thiefs.session());
      await logIn(browser, owner, account);
      const isAnother = browser.session()[1] !== thiefs.session()[1];
      const { html } = await thiefs.get("/console");
      const seesOwner = html.includes(owner.username);
      return heldIf(
        isAnother && !seesOwner,
        `${isAnother ? "another" : "the same"} session, the thief sees ${seesOwner ? "the owner's" : "nothing"}`,
      );
    },
    "a copied session after its owner has logged out": async (target) => {
      const browser = await signedIn(target, await newVisitor(target));
      const copy = openBrowser(target);
      copy.putCookie(browser.session());
      const before = await copy.isIn();
      await browser.fillIn("/console", {}, "/console/log-out");
      const after = await copy.isIn();
      return refusedIf(before && !after, `open before: ${before}, after: ${after}`);
    },
    "passwords guessed in the console after the API refuses more, and the reverse": async (target) => {
      const [one, other] = [await newVisitor(target), await newVisitor(target)];
      const browser = openBrowser(target);
      const atConsole = async (username: string, password: string) =>
        (await browser.fillIn("/console/log-in", { username, password })).status;
      const atApi = async (username: string, password: string) =>
        (await ask(target, "/auth/token", { body: new URLSearchParams({ username, password }) })).status;
      const guesses: number[] = [];
      for (let time = 0; time < 6; time += 1) guesses.push(await atConsole(one.username, `guess ${time}`));
      const right = [await atConsole(one.username, one.password), await atApi(one.username, one.password)];
      for (let time = 0; time < 6; time += 1) await atApi(other.username, `guess ${time}`);
      right.push(await atConsole(other.username, other.password));
      return refusedIf(
        guesses.at(-1) === 429 && right.every((status) => status === 429),
        `the guesses ${guesses.join(" ")}, then the right password ${right.join(" ")}`,
      );
    },
  }),
  ...attacksByVisitor({ number: 15, needs: ["log-ins"] })({
    "a login that leads to another site": async (target, owner) => {
      const { username, password } = owner;
      const locations: (string | null)[] = [];
      for (const next of [
        elsewhere,
        "//elsewhere.example",
        "/\\elsewhere.example",
        "/console/..//elsewhere.example",
        "\t//elsewhere.example",
        "/console\r\nLocation: https://elsewhere.example",
        "javascript:alert(1)",
        "/console@elsewhere.example",
      ]) {
        const browser = openBrowser(target);
        const page = `/console/log-in?${new URLSearchParams({ next })}`;
        const response = await browser.fillIn(page, { username, password, next }, "/console/log-in");
        locations.push(response.location, (await browser.get(page)).location);
      }
      const { origin } = new URL(target.url);
      const away = locations.filter(
        (location) => location === null || new URL(location, origin).origin !== origin,
      );
      return heldIf(away.length === 0, `${away.length} of ${locations.length} led away or nowhere`);
    },
    "HTML in the names of keys, in a profile and in what a browser says of itself": async (target, owner) => {
      const { token, username, password } = owner;
      const key = await ask(target, "/auth/keys", { token, body: { name: injected.slice(0, 64) } });
      const texts = { full_name: injected, organization: injected, sector: [injected] };
      const profile = await ask(target, "/auth/profile", { token, method: "PUT", body: texts });
      const browser = openBrowser(target);
      const form = { username, password, form_token: await browser.tokenOn("/console/log-in") };
      const entered = await browser.send("/console/log-in", form, { "User-Agent": injected });
      const pages = ["/console", "/console/tokens", "/console/usage", account];
      const shown = await Promise.all(pages.map((page) => browser.get(page)));
      const isStored = key.status === 201 && profile.status === 200 && entered.status === 303;
      const isShown =
        shown.every(({ status }) => status === 200) && shown.some(({ html }) => html.includes("alert(1)"));
      const live = shown.filter(({ html }) => /<script>|<img src=x|value="[^"]*"'>/.test(html));
      return heldIf(
        isStored && isShown && live.length === 0,
        `stored ${[key, profile, entered].map(({ status }) => status).join(" ")}, live in ${live.length} of ${pages.length} pages`,
      );
    },
  }),
];
