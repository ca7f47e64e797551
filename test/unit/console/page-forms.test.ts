import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { AccountSettings } from "../../../functions/console/account/account.tsx";
import {
  accountPage,
  accountSections,
  tokensPage,
  usagePage,
} from "../../../functions/console/account/pages.ts";
import { TokensAndKeys } from "../../../functions/console/account/tokens.tsx";
import { UsageOfDays } from "../../../functions/console/account/usage.tsx";
import { ForgotPassword, LogIn, SignUp } from "../../../functions/console/entry/entry-views.tsx";
import { ResetPassword } from "../../../functions/console/entry/link-views.tsx";
import {
  forgotPasswordPage,
  logInPage,
  resetPasswordPage,
  signUpPage,
} from "../../../functions/console/entry/pages.ts";
import type { AccountExport } from "../../../shared/accounts/export/request-export.ts";
import type { CallbackDelivery } from "../../../shared/recordings/callbacks/deliveries.ts";
import { key, settings, usage } from "./owned.ts";
import { render, visit } from "./rendered.ts";

/** The names of the fields in each form of a page, in order. */
const namesIn = (html: string): string[][] =>
  Array.from(html.matchAll(/<form\b.*?<\/form>/gs), ([form]) =>
    Array.from(form.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]*)"/g), ([, name = ""]) => name)
      .filter((name, index, all) => name !== "form_token" && all.indexOf(name) === index)
      .toSorted(),
  );

const namesOf = (form: z.ZodObject | undefined): string[] => Object.keys(form?.shape ?? {}).toSorted();

const entered = { ...visit, next: "/docs", providers: [], termsVersion: "2026-11-24" };
const token = "x".repeat(43);
const identity = {
  id: "a",
  issuer: "https://a.example",
  email: undefined,
  joinedAt: "2026-11-20T10:00:00.000Z",
};
const failed: CallbackDelivery = {
  id: "job",
  event: "job.completed",
  url: null,
  status: "failed",
  deliveries: [],
};
const lastExport: AccountExport = {
  status: "ready",
  requested_at: "2026-11-20T10:00:00.000Z",
  size: 1_024,
  expires_at: "2026-11-27T10:00:00.000Z",
  url: "https://audio.example.com/exports/7/a.zip",
  url_expires_at: "2026-11-20T11:00:00.000Z",
};
const account = { ...visit, ...settings, identities: [identity], deliveries: [failed], lastExport };
const usageView = {
  ...visit,
  query: {},
  usage,
  requested: {},
  keyNames: new Map<string, string>(),
  requests: [],
  taskPaths: {},
};

describe("The form of a page", () => {
  it.each([
    [
      "to sign up",
      createElement(SignUp, { ...entered, perDay: { verified: 500, before: 50 } }),
      [signUpPage.form],
    ],
    ["to log in", createElement(LogIn, entered), [logInPage.form]],
    ["for a lost password", createElement(ForgotPassword, visit), [forgotPasswordPage.form]],
    ["for a new password", createElement(ResetPassword, { ...visit, token }), [resetPasswordPage.form]],
    [
      "for days of usage, and to find a request",
      createElement(UsageOfDays, usageView),
      [usagePage.query?.pick({ from: true, to: true }), usagePage.query?.pick({ request: true })],
    ],
  ])("sends the fields that the page reads: %s", (_page, content, forms) => {
    expect(namesIn(render(content))).toEqual(forms.map(namesOf));
  });

  it.each([
    ["tokens", [createElement(TokensAndKeys, { ...visit, keys: [key, { ...key, id: "k2" }] })], tokensPage],
    [
      "account",
      [
        ...accountSections.map((section) =>
          createElement(AccountSettings, { ...account, query: { ...settings.query, section } }),
        ),
        createElement(AccountSettings, {
          ...account,
          query: { ...settings.query, section: "security" },
          account: { ...visit.account, has_password: false, has_second_factor: true },
        }),
      ],
      accountPage,
    ],
  ])("sends the fields of its action: %s", (_page, contents, { form }) => {
    const sent = contents.flatMap((content) => namesIn(render(content)).map((names) => names.join()));
    const read = form?.options.map((option: z.ZodObject) => namesOf(option).join());
    expect([...new Set(sent)].toSorted()).toEqual([...new Set(read)].toSorted());
  });

  it("for a new password says next to the field what is wrong with it", () => {
    const problems = { fields: { new_password: "This password is too common." } };
    expect(render(createElement(ResetPassword, { ...visit, token, problems }))).toMatch(
      / id="new_password-problem"><svg.*?<\/svg>This password is too common\./s,
    );
  });
});
