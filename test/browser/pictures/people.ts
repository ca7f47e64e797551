import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { ApiClient, type Registration, type TestAccount } from "../../support/api-client.ts";
import { newPerson } from "../../support/console-visit.ts";

/**
 * Who opens a page: `visitor` has no session; the others have an account with nothing, a little, or as much as fits; `operator` one of the
 * type Admin.
 */
export type Actor = "visitor" | "empty" | "one" | "many" | "operator";

/** The accounts of the pictures. */
export type People = Readonly<Record<Exclude<Actor, "visitor">, TestAccount>>;

const mails = z.array(z.object({ to: z.array(z.string()), text: z.string() }));

const maxMailSeconds = 20;

/** The last link to a path that was mailed to a person. @throws Error when none arrives. */
export const linkMailedTo = async (
  url: string,
  { email }: Pick<Registration, "email">,
  path: string,
): Promise<string> => {
  for (let polls = 0; polls < 10 * maxMailSeconds; polls += 1) {
    const sent = mails.parse(await (await fetch(`${url}/_local/mail`)).json());
    const links = sent
      .filter(({ to }) => to.includes(email))
      .flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? [])
      .filter((link) => link.includes(path));
    const last = links.at(-1);
    if (last !== undefined) return last;
    await setTimeout(100);
  }
  throw new Error(`No mail with a link to ${path} has arrived for ${email}.`);
};

const sentences = [
  "Wasuze otya nno, ssebo?",
  "Webale nnyo okujja mu lukiiko luno.",
  "Leero tugenda kwogera ku masomero n'amazzi amayonjo.",
];

/** Has files of these names transcribed or translated, one after the other. */
const work = async (
  client: ApiClient,
  { token }: TestAccount,
  names: readonly string[],
  content: string | Uint8Array,
  fields: object,
): Promise<void> => {
  for (const name of names) {
    const { id } = await client.startJob(content, fields, { token, name, type: "application/octet-stream" });
    await client.whenOver(id, token);
  }
};

/** Transcribes recordings, and translates documents, with these names. */
const fillJobs = async (
  client: ApiClient,
  person: TestAccount,
  recordings: readonly string[],
  documents: readonly string[],
): Promise<void> => {
  const text = Array.from({ length: 4 }, () => sentences.join(" ")).join(" ");
  const audio = await client.speak(text, person.token, { language: "lug" });
  await work(client, person, recordings, audio, { type: "transcription", language: "lug", timestamps: true });
  const leaflet = "# Thank you\n\nGood morning. The clinic opens at eight.\n";
  const fields = { type: "translation", source_language: "eng", target_language: "lug" };
  await work(client, person, documents, leaflet, fields);
};

const longName = "council-of-elders-and-teachers-in-kamwenge-district-second-meeting-of-the-year";

/** Creates keys and recordings of an account that has one of each. */
const fillOne = async (client: ApiClient, person: TestAccount): Promise<void> => {
  const { token } = person;
  await client.send("/auth/keys", { token, body: { name: "clinic-app" } });
  const body = { source_language: "eng", target_language: "lug", text: "Good morning" };
  await client.send("/tasks/translate", { token, body });
  await fillJobs(client, person, ["council.wav"], ["leaflet.md"]);
};

const scopesOf = (index: number) =>
  index % 3 === 0 ? { scopes: ["translate", "speech"] } : index % 3 === 1 ? { scopes: ["chat"] } : {};

/** Creates as many keys as fit, and recordings and documents, with names as long as they can be. @param count of the last two. */
export const fillMany = async (client: ApiClient, person: TestAccount, count = 12): Promise<void> => {
  for (let index = 0; index < 20; index += 1) {
    const name = index === 7 ? longName.slice(0, 64) : `program-${index + 1}`;
    const expires = index % 4 === 0 ? { expires_in_days: 30 } : {};
    const body = { name, ...scopesOf(index), ...expires };
    await client.send("/auth/keys", { token: person.token, body });
  }
  const names = [longName, ...Array.from({ length: count - 1 }, (_, index) => `council-${index + 1}`)];
  await fillJobs(
    client,
    person,
    names.map((name) => `${name}.wav`),
    names.map((name) => `${name}.md`),
  );
};

/** Follows the link that verifies the address of a person. */
export const verify = async (url: string, { email, password }: Registration): Promise<void> => {
  const link = new URL(await linkMailedTo(url, { email }, "verify-email"));
  const body = { token: link.searchParams.get("token"), password };
  await new ApiClient(() => url).send("/auth/verify-email", { body });
};

/** Creates the accounts that some of the actors need, through the API. */
export const createPeople = async (url: string, actors: ReadonlySet<Actor>): Promise<People> => {
  const client = new ApiClient(() => url);
  const operator = await client.createAccount();
  const empty = await client.createAccount();
  const one = await client.createAccount();
  const long = `${newPerson().username}-${"of-the-ministry-of-education-and-sports".repeat(2)}`.slice(0, 64);
  const many = await client.createAccount({ ...newPerson(), username: long });
  if (actors.has("one")) await fillOne(client, one);
  if (actors.has("many")) await fillMany(client, many);
  if (actors.has("one")) await verify(url, one);
  if (actors.has("many")) await verify(url, many);
  return { empty, one, many, operator };
};
