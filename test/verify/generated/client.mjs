/** Uses the client that openapi-generator makes for TypeScript; prints what it got. */
import { createRequire } from "node:module";

const client = createRequire(import.meta.url)(process.argv[2]);
const { API: basePath, NAME: username } = process.env;
const password = "seven storks by the lake";
const bodyOf = (promise) =>
  promise.then(
    () => Promise.reject(new Error("It was not refused.")),
    (error) => error.response.json(),
  );

const accounts = new client.AccountsAndTokensApi(new client.Configuration({ basePath }));
const registerRequest = { username, email: `${username}@example.com`, password };
await accounts.register({ registerRequest });
const { accessToken } = await accounts.issueToken({ username, password });
const configuration = new client.Configuration({ basePath, accessToken });
const translation = new client.TranslationApi(configuration);
const text = "How are you?";
const translated = await translation.translate({
  translateRequest: { sourceLanguage: "eng", targetLanguage: "lug", text },
});
const { jobs } = await new client.JobsApi(configuration).listJobs();
const refused = client.ErrorBodyFromJSON(
  await bodyOf(translation.translate({ translateRequest: { targetLanguage: "klingon", text } })),
);
const invalid = client.ValidationErrorBodyFromJSON(
  await bodyOf(accounts.register({ registerRequest: { ...registerRequest, username: "a b" } })),
);
process.stdout.write(
  `${JSON.stringify([translated.output.translatedText, jobs.length, refused.error.code, invalid.detail[0].msg])}\n`,
);
