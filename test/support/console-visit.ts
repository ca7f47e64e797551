import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";

/** A person with an account. */
export interface Person {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

/** A person without an account. */
export const newPerson = (): Person => {
  const username = `amina-${randomBytes(4).toString("hex")}`;
  return { username, email: `${username}@example.com`, password: "seven storks by the lake" };
};

/** Makes an account as a program would, for those who come to look at what is behind it. */
export const register = async (url: string, person = newPerson()): Promise<Person> => {
  const response = await fetch(`${url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(person),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return person;
};

/** Logs a person in through the page. */
export const logIn = async (page: Page, url: string, { username, password }: Person): Promise<void> => {
  await page.goto(`${url}/console/log-in`);
  await page.locator("main input[name=username]").fill(username);
  await page.locator("main input[name=password]").fill(password);
  await page.locator("main input[name=password]").press("Enter");
  await page.waitForURL(`${url}/console`);
};
