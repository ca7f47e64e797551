import { standInAccounts, standInPassword } from "./stand-in-accounts.ts";

const inHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${inHtml(title)}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 2rem auto; padding: 0 1rem }
.mark { border: 2px dashed #a15c00; background: #fff6e5; color: #3d2300; padding: .5rem 1rem }
label { display: block; margin: 1rem 0 } input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .5rem }
button { font: inherit; padding: .5rem 1rem; margin-right: .5rem }
</style>
</head>
<body>
<h1>${inHtml(title)}</h1>
<p class="mark"><strong>This is a stand-in, not a real provider.</strong> It runs on this machine so you can try the login.
Nothing that you type leaves this machine.</p>
${content}
</body>
</html>
`;

export interface LogInPage {
  readonly providerName: string;
  readonly action: string;
  /** Why the last attempt failed. */
  readonly problem: string | undefined;
}

/** Renders the login page of a stand-in, with the names of its accounts. */
export const renderLogInPage = ({ providerName, action, problem }: LogInPage): string => {
  const [first = ""] = Object.keys(standInAccounts);
  const accounts = Object.entries(standInAccounts).map(
    ([login, { email, emailVerified }]) =>
      `<li><code>${inHtml(login)}</code>: ${inHtml(email)} (${emailVerified ? "verified" : "not verified"})</li>`,
  );
  return page(
    `Log in to ${providerName}`,
    `${problem === undefined ? "" : `<p role="alert">${inHtml(problem)}</p>`}
<p>All test accounts have the password <code>${inHtml(standInPassword)}</code>:</p>
<ul>
${accounts.join("\n")}
</ul>
<form method="post" action="${inHtml(action)}">
<label>Username <input name="login" value="${inHtml(first)}" autocomplete="off" required></label>
<label>Password <input name="password" type="password" value="${inHtml(standInPassword)}" autocomplete="off" required></label>
<button name="answer" value="log-in">Log in and go back</button>
<button name="answer" value="cancel" formnovalidate>Cancel</button>
</form>`,
  );
};

/** Renders the page for an error. */
export const renderProblemPage = (providerName: string, problem: string): string =>
  page(providerName, `<p>${inHtml(problem)}</p>`);
