import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { newPerson, type Person, register } from "../../support/console-visit.ts";

/**
 * Who opens a page: `visitor` has no session; the others have an account with nothing, a little, or as much as fits; `operator` one of the
 * type Admin.
 */
export type Actor = "visitor" | "empty" | "one" | "many" | "operator";

/** The accounts of the pictures. */
export type People = Readonly<Record<Exclude<Actor, "visitor">, Person>>;

const mails = z.array(z.object({ to: z.array(z.string()), text: z.string() }));

const maxMailSeconds = 20;
const pollMilliseconds = 250;

/** The last link to a path that was mailed to a person. @throws Error when none arrives. */
export const linkMailedTo = async (url: string, { email }: Person, path: string): Promise<string> => {
  for (let second = 0; second < maxMailSeconds; second += 1) {
    const sent = mails.parse(await (await fetch(`${url}/_local/mail`)).json());
    const links = sent
      .filter(({ to }) => to.includes(email))
      .flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? [])
      .filter((link) => link.includes(path));
    const last = links.at(-1);
    if (last !== undefined) return last;
    await setTimeout(1_000);
  }
  throw new Error(`No mail with a link to ${path} has arrived for ${email}.`);
};

/** Calls the API for a person. */
export interface Caller {
  post(path: string, body: unknown): Promise<unknown>;
  get(path: string): Promise<unknown>;
  speak(text: string): Promise<Blob>;
}

/** Logs in as a program does. */
export const callAs = async (url: string, { username, password }: Person): Promise<Caller> => {
  const signedIn = await fetch(`${url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username, password }),
  });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(await signedIn.json());
  const ask = async (path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`${url}${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`${path} responds with ${response.status}: ${await response.text()}`);
    return response;
  };
  return {
    post: async (path, body) => (await ask(path, body)).json(),
    get: async (path) => (await ask(path)).json(),
    speak: async (text) =>
      (await ask("/tasks/audio/speech", { text, language: "lug", response_mode: "stream" })).blob(),
  };
};

const sentences = [
  "Wasuze otya nno, ssebo?",
  "Webale nnyo okujja mu lukiiko luno.",
  "Leero tugenda kwogera ku masomero n'amazzi amayonjo.",
];

/** Uploads a file as a program would, and creates a job for it. @returns the ID of the job. */
const startJob = async (caller: Caller, name: string, content: Blob, fields: object): Promise<string> => {
  const type = "application/octet-stream";
  const { upload_url: address, file_id } = z.object({ upload_url: z.string(), file_id: z.string() }).parse(
    await caller.post("/tasks/generate-upload-url", {
      file_name: name,
      content_type: type,
      size: content.size,
    }),
  );
  await fetch(address, { method: "PUT", headers: { "Content-Type": type }, body: content });
  return z.object({ id: z.string() }).parse(await caller.post("/tasks/jobs", { ...fields, file_id })).id;
};

const isCompleted = async (caller: Caller, id: string): Promise<boolean> => {
  const { status } = z.object({ status: z.string() }).parse(await caller.get(`/tasks/jobs/${id}`));
  return status === "completed";
};

const transcribe = async (caller: Caller, names: readonly string[]): Promise<void> => {
  const audio = await caller.speak(Array.from({ length: 4 }, () => sentences.join(" ")).join(" "));
  for (const name of names) {
    const fields = { type: "transcription", language: "lug", timestamps: true };
    const id = await startJob(caller, name, audio, fields);
    while (!(await isCompleted(caller, id))) await setTimeout(pollMilliseconds);
  }
};

const translateDocuments = async (caller: Caller, names: readonly string[]): Promise<void> => {
  const content = new Blob(["# Thank you\n\nGood morning. The clinic opens at eight.\n"]);
  for (const name of names) {
    const fields = { type: "translation", source_language: "eng", target_language: "lug" };
    const id = await startJob(caller, name, content, fields);
    while (!(await isCompleted(caller, id))) await setTimeout(pollMilliseconds);
  }
};

const longName = "council-of-elders-and-teachers-in-kamwenge-district-second-meeting-of-the-year";

/** Creates keys and recordings of an account that has one of each. */
const fillOne = async (url: string, person: Person): Promise<void> => {
  const caller = await callAs(url, person);
  await caller.post("/auth/keys", { name: "clinic-app" });
  await caller.post("/tasks/translate", {
    source_language: "eng",
    target_language: "lug",
    text: "Good morning",
  });
  await transcribe(caller, ["council.wav"]);
  await translateDocuments(caller, ["leaflet.md"]);
};

const scopesOf = (index: number) =>
  index % 3 === 0 ? { scopes: ["translate", "speech"] } : index % 3 === 1 ? { scopes: ["chat"] } : {};

/** The same for an account that has as much as fits, with names as long as they can be. */
const fillMany = async (url: string, person: Person): Promise<void> => {
  const caller = await callAs(url, person);
  for (let index = 0; index < 20; index += 1) {
    const name = index === 7 ? longName.slice(0, 64) : `program-${index + 1}`;
    const expires = index % 4 === 0 ? { expires_in_days: 30 } : {};
    await caller.post("/auth/keys", { name, ...scopesOf(index), ...expires });
  }
  const names = Array.from({ length: 11 }, (_, index) => `council-${index + 1}.wav`);
  await transcribe(caller, [`${longName}.wav`, ...names]);
  await translateDocuments(caller, [`${longName}.md`, ...names.map((each) => each.replace("wav", "md"))]);
};

/** Follows the link that verifies the address of a person. */
export const verify = async (url: string, person: Person): Promise<void> => {
  const link = new URL(await linkMailedTo(url, person, "verify-email"));
  const response = await fetch(`${url}/auth/verify-email`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: link.searchParams.get("token"), password: person.password }),
  });
  if (!response.ok) throw new Error(`An address is not verified: ${await response.text()}`);
};

const withLongName = (): Person => {
  const username = `${newPerson().username}-${"of-the-ministry-of-education-and-sports".repeat(2)}`.slice(
    0,
    64,
  );
  return { ...newPerson(), username };
};

/** Creates the accounts that some of the actors need, through the API. */
export const createPeople = async (url: string, actors: ReadonlySet<Actor>): Promise<People> => {
  const people = { empty: newPerson(), one: newPerson(), many: withLongName(), operator: newPerson() };
  await register(url, people.operator);
  await register(url, people.empty);
  await register(url, people.one);
  await register(url, people.many);
  if (actors.has("one")) await fillOne(url, people.one);
  if (actors.has("many")) await fillMany(url, people.many);
  if (actors.has("one")) await verify(url, people.one);
  if (actors.has("many")) await verify(url, people.many);
  return people;
};
