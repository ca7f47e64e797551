import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { createAccount } from "../load/accounts.ts";
import { rowProblems } from "../support/client-table.ts";
import { speak, withLocalService } from "./local-service.ts";
import { type Part, type Verdict, verdictOf } from "./run-parts.ts";
import { buildGoClient, nodeClients, pythonEnvironment, runToEnd } from "./tools.ts";

const run = promisify(execFile);

export const python = pythonEnvironment("clients", join(import.meta.dirname, "clients/requirements.txt"));

/** The oldest version of `openai` that is supported, and what it needs. */
export const oldestPython = pythonEnvironment(
  "oldest-clients",
  join(import.meta.dirname, "clients/oldest-requirements.txt"),
);

const outcome = z.object({ title: z.string(), failure: z.string().nullable() });

/** The programs' input: the service, and a recording that its sample models can transcribe. */
export interface Given {
  readonly directory: string;
  readonly variables: Readonly<Record<string, string>>;
}

const sentence = "Wasuze otya nno? Nnyabo, weebale kujja.";

/** Runs a service with an account and a recording. */
export const withService = (use: (given: Given) => Promise<Verdict>): Promise<Verdict> =>
  withLocalService(async ({ url, directory }) => {
    const { token } = await createAccount(url, directory);
    const recording = join(directory, "hello.wav");
    await writeFile(recording, await speak(url, token, { text: sentence, language: "lug" }));
    const variables = {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: token,
      API: url,
      TOKEN: token,
      RECORDING: recording,
      // LiteLLM would look up prices at GitHub, LangChain would report to LangSmith.
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      LANGSMITH_TRACING: "false",
    };
    return use({ directory, variables });
  });

/** A program that tries one client. */
export interface ClientProgram {
  readonly client: string;
  /** How many tests it has at least, so that none is lost without a word. */
  readonly min: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Runs what tries one client. @returns what it found, and the outcomes of its tests. */
export const tryClient = async ({ client, min, program, args, variables }: ClientProgram) => {
  const { code, output } = await runToEnd(program, args, variables);
  const lines = output.split("\n").filter((line) => line.startsWith('{"'));
  const outcomes = lines.map((line) => outcome.parse(JSON.parse(line)));
  const findings =
    code !== 0 || outcomes.length < min
      ? [`${client}: ended with ${code} after ${outcomes.length} tests: ${output.slice(-500)}`]
      : outcomes.flatMap(({ title, failure }) => (failure ? [`${client} ${title}: ${failure}`] : []));
  return {
    findings,
    outcomes: outcomes.map(({ title, failure }) => ({ title, passed: failure === null })),
  };
};

/** Runs what tries one client, and compares what it found with the client's row in the README. */
const findingsOf = async (
  client: string,
  min: number,
  program: string,
  args: readonly string[],
  { variables }: Given,
): Promise<string[]> => {
  const { findings, outcomes } = await tryClient({ client, min, program, args, variables });
  return outcomes.length < min ? findings : [...findings, ...rowProblems(client, outcomes)];
};

/** What these clients call. */
const clientPaths = ["functions/chat", "functions/speech", "functions/transcription", "test/verify/clients"];

/** How many tests each client of Python has at least, so that none is lost without a word. */
export const pythonClients = { openai: 9, litellm: 8, "langchain-openai": 6 } as const;

/** Python's clients of the OpenAI API do with the service what they do with OpenAI. */
export const pythonClientsPart: Part = {
  name: "Python's clients of the OpenAI API",
  paths: clientPaths,
  run: async () => {
    const program = await python.tool("python");
    return withService(async (given) => {
      const findings: string[] = [];
      for (const [name, min] of Object.entries(pythonClients)) {
        const args = [join(import.meta.dirname, "clients/clients.py"), name];
        findings.push(...(await findingsOf(`\`${name}\` for Python`, min, program, args, given)));
      }
      const versions = await Promise.all(Object.keys(pythonClients).map((name) => python.version(name)));
      return verdictOf(findings, `${versions.join(", ")} chat, call tools, transcribe and speak`);
    });
  },
};

/** Returns the Python programs of a guide. */
export const pythonProgramsOf = async (guide: string): Promise<string[]> => {
  const text = await readFile(join(projectDirectory, "functions/site/docs/guides", guide), "utf8");
  return [...text.matchAll(/^```python\n([\s\S]*?)\n```$/gm)].map(([, program = ""]) => program);
};

/** The Python programs of the guide to OpenAI clients print a result when they run unchanged. */
export const guideProgramsPart: Part = {
  name: "The guide's programs in Python",
  paths: [...clientPaths, "functions/site/docs/guides/openai-sdk.md"],
  run: async () => {
    const program = await python.tool("python");
    const programs = await pythonProgramsOf("openai-sdk.md");
    if (programs.length < 2) return { kind: "failed", findings: ["The guide has fewer than two."] };
    return withService(async ({ directory, variables }) => {
      const findings: string[] = [];
      for (const text of programs) {
        const env = { ...process.env, ...variables };
        const { stdout } = await run(program, ["-c", text], { env, cwd: directory, timeout: 120_000 });
        if (stdout.trim() === "") findings.push(`It prints nothing:\n${text}`);
      }
      return verdictOf(findings, `${programs.length} programs print a result`);
    });
  },
};

/** Go's client of the OpenAI API does with the service what it does with OpenAI. */
export const goClientPart: Part = {
  name: "Go's client of the OpenAI API",
  paths: clientPaths,
  run: () =>
    withTemporaryDirectory(async (directory) => {
      const program = join(directory, "clients");
      await buildGoClient(program);
      return withService(async (given) => {
        const findings = await findingsOf("`openai-go`", 9, program, [], given);
        return verdictOf(findings, "openai-go chats, calls tools, writes down and speaks");
      });
    }),
};

const nodePrograms = join(import.meta.dirname, "clients/node/programs.mjs");

/** The oldest supported versions of OpenAI's own clients do the same. */
export const oldestClientsPart: Part = {
  name: "The oldest supported clients of the OpenAI API",
  paths: clientPaths,
  run: () =>
    withTemporaryDirectory(async (directory) => {
      await nodeClients();
      const go = join(directory, "oldest");
      await buildGoClient(go, "oldest");
      const programs = [
        ["the oldest openai for Node", 9, process.execPath, [nodePrograms, "oldest"]],
        [
          "the oldest openai for Python",
          9,
          await oldestPython.tool("python"),
          [join(import.meta.dirname, "clients/clients.py"), "openai"],
        ],
        ["the oldest openai-go", 6, go, []],
      ] as const;
      return withService(async ({ variables }) => {
        const findings: string[] = [];
        for (const [client, min, program, args] of programs)
          findings.push(...(await tryClient({ client, min, program, args, variables })).findings);
        return verdictOf(findings, "those for Node, Python and Go chat and call tools");
      });
    }),
};

/** Codex runs without a terminal, and has a reply from `/v1/responses`. */
export const codexPart: Part = {
  name: "Codex",
  paths: clientPaths,
  run: async () => {
    const program = join(await nodeClients(), "node_modules/@openai/codex/bin/codex.js");
    return withService(async ({ directory, variables }) => {
      const home = join(directory, "codex");
      await mkdir(home);
      const provider = `{ name = "local", base_url = "${variables["OPENAI_BASE_URL"]}", env_key = "OPENAI_API_KEY", wire_api = "responses" }`;
      const { code, output } = await runToEnd(
        process.execPath,
        [
          program,
          ...["exec", "--skip-git-repo-check", "--sandbox", "read-only", "--model", "lang-14b"],
          ...["--config", `model_providers.local=${provider}`, "--config", "model_provider=local"],
          "How do you say 'thank you' in Luganda?",
        ],
        { ...variables, CODEX_HOME: home },
        directory,
      );
      const hasReply = code === 0 && /webale/i.test(output);
      return verdictOf(hasReply ? [] : [`it ended with ${code}: ${output.slice(-1_000)}`], "it has a reply");
    });
  },
};

/** An agent takes two turns on both APIs, of which the second sends back what the package has of the first. */
export const agentsPart: Part = {
  name: "OpenAI's agents for Node",
  paths: clientPaths,
  run: async () => {
    await nodeClients();
    return withService(async ({ variables }) => {
      const { findings } = await tryClient({
        client: "@openai/agents",
        min: 2,
        program: process.execPath,
        args: [nodePrograms, "agents"],
        variables,
      });
      return verdictOf(findings, "two turns on chat completions, and two on responses");
    });
  },
};
