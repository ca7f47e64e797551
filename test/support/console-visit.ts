import type { Page } from "playwright-core";
import { ApiClient, newRegistration, type Registration, type TestAccount } from "./api-client.ts";
import { codeOf, secretIn } from "./second-factor.ts";

/** What a person enters to have an account, or to log in. */
export type Person = Registration;

/** A person without an account. */
export const newPerson = newRegistration;

/** Creates an account as a program would, for those who come to look at what is behind it. */
export const register = (url: string, person = newPerson()): Promise<TestAccount> =>
  new ApiClient(() => url).createAccount(person);

/** Logs a person in through the page. */
export const logIn = async (page: Page, url: string, { username, password }: Person): Promise<void> => {
  await page.goto(`${url}/console/log-in`);
  await page.locator("main input[name=username]").fill(username);
  await page.locator("main input[name=password]").fill(password);
  await page.locator("main input[name=password]").press("Enter");
  await page.waitForURL(`${url}/console`);
};

/** Logs an operator in, and sets up the second factor that the operators' pages require. */
export const logInAsOperator = async (page: Page, url: string, operator: Person): Promise<void> => {
  await logIn(page, url, operator);
  await page.goto(`${url}/console/admin`);
  const main = page.locator("main");
  await main.locator("[name=password]").fill(operator.password);
  await main.getByRole("button", { name: "Start" }).click();
  await main.locator("[name=code]").waitFor();
  await main.locator("[name=code]").fill(codeOf(secretIn(await page.content())));
  await main.getByRole("button", { name: "Turn on" }).click();
  await main.locator(".button", { hasText: "I have saved the codes" }).click();
  await page.waitForURL(`${url}/console/admin`);
};
