import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFile, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { createAccount } from "../load/accounts.ts";
import { withLocalService } from "./local-service.ts";
import { type Part, ToolMissing, verdictOf } from "./run-parts.ts";
import { pythonEnvironment } from "./tools.ts";

const run = promisify(execFile);

const generatorVersion = "7.23.0";
const programs = join(import.meta.dirname, "generated");
const document = join(projectDirectory, "shared/http/openapi/openapi.json");
const python = pythonEnvironment("generated", join(programs, "requirements.txt"));

/** What each program prints: the translation, the number of jobs, the code of the 400, and the sentence of the 422. */
const expected = JSON.stringify([
  "Oli otya?",
  0,
  "unsupported_language",
  "Value error, a username has 3 to 64 letters, digits, dots, underscores or hyphens",
]);

interface Client {
  readonly name: string;
  /** Generates and compiles it in a folder. @returns the command that uses it. */
  build(folder: string, commands: Commands): Promise<readonly [program: string, ...args: string[]]>;
}

/** Runs a command to its end; its output is in the error when it fails. */
type Execute = (program: string, args: readonly string[], folder: string) => Promise<string>;

interface Commands {
  readonly execute: Execute;
  /** Runs openapi-generator with a generator's name and its options. */
  generate(generator: string, folder: string, ...options: string[]): Promise<unknown>;
  /** The folder of the commands that npm installed. */
  readonly npmPrograms: string;
}

const execute: Execute = async (program, args, folder) => {
  const options = { cwd: folder, timeout: 10 * 60_000, maxBuffer: 64 * 1_024 * 1_024 };
  const { stdout } = await run(program, args, options).catch(
    (error: { stdout?: string; message: string }) => {
      throw new Error(`${error.message.slice(0, 2_000)}\n${error.stdout?.slice(0, 2_000) ?? ""}`);
    },
  );
  return stdout;
};

const installing = async (what: string, work: Promise<unknown>): Promise<void> => {
  await work.catch((error: Error) => {
    throw new ToolMissing(`${what} cannot be installed here (${error.message.split("\n")[0]})`);
  });
};

const jarIn = async (folder: string): Promise<string> => {
  await installing(
    "openapi-generator",
    execute(
      "mvn",
      [
        ...["-q", "-B", "dependency:copy", `-DoutputDirectory=${folder}`],
        `-Dartifact=org.openapitools:openapi-generator-cli:${generatorVersion}`,
      ],
      folder,
    ),
  );
  return join(folder, `openapi-generator-cli-${generatorVersion}.jar`);
};

const clients: readonly Client[] = [
  {
    name: "python",
    build: async (folder, { generate }) => {
      await generate("python", folder);
      return [await python.tool("python"), join(programs, "client.py"), folder];
    },
  },
  {
    name: "typescript-fetch",
    build: async (folder, { generate, execute: compile, npmPrograms }) => {
      await generate("typescript-fetch", folder, "--additional-properties=npmName=generated-client");
      await compile(join(npmPrograms, "tsc"), ["-p", "."], folder);
      return [process.execPath, join(programs, "client.mjs"), join(folder, "dist/index.js")];
    },
  },
  {
    name: "go",
    build: async (folder, { generate, execute: compile }) => {
      await generate("go", folder);
      await mkdir(join(folder, "cmd"));
      await copyFile(join(programs, "main.go.txt"), join(folder, "cmd/main.go"));
      await installing("the packages of Go", compile("go", ["mod", "tidy"], folder));
      await compile("go", ["build", "-o", "client", "./cmd"], folder);
      return [join(folder, "client")];
    },
  },
  {
    name: "kotlin",
    build: async (folder, { generate, execute: compile }) => {
      await generate("kotlin", folder, "--library", "jvm-okhttp4");
      const project = join(folder, "compiled");
      await cp(join(programs, "kotlin"), project, { recursive: true });
      const args = ["-q", "-B", `-Dclient=${folder}`, `-Dtarget=${project}/target`];
      await compile("mvn", [...args, "compile"], project);
      return ["mvn", "-f", project, ...args, "exec:java"];
    },
  },
  {
    name: "openapi-typescript",
    build: async (folder, { execute: compile, npmPrograms }) => {
      await compile(
        join(npmPrograms, "openapi-typescript"),
        [document, "-o", join(folder, "api.ts")],
        folder,
      );
      await copyFile(join(programs, "client.ts.txt"), join(folder, "client.ts"));
      await writeFile(join(folder, "package.json"), '{"type": "module"}');
      const options = [
        "--noEmit",
        "--strict",
        ...["--target", "es2022", "--module", "nodenext", "--types", "node"],
      ];
      const types = ["--allowImportingTsExtensions", "--typeRoots", join(npmPrograms, "../@types")];
      await compile(join(npmPrograms, "tsc"), [...options, ...types, "client.ts"], folder);
      return [process.execPath, join(folder, "client.ts")];
    },
  },
  {
    name: "datamodel-code-generator",
    build: async (folder, { execute: compile }) => {
      const options = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"];
      const files = ["--input", document, "--output", join(folder, "models.py")];
      await compile(await python.tool("datamodel-codegen"), [...options, ...files], folder);
      return [await python.tool("python"), join(programs, "models.py"), folder];
    },
  },
];

const commandsIn = async (directory: string): Promise<Commands> => {
  const npm = join(directory, "npm");
  await mkdir(npm);
  for (const file of ["package.json", "package-lock.json"])
    await copyFile(join(programs, file), join(npm, file));
  await installing("openapi-typescript", execute("npm", ["ci", "--ignore-scripts", "--no-audit"], npm));
  const jar = await jarIn(directory);
  return {
    execute,
    npmPrograms: join(npm, "node_modules/.bin"),
    generate: (generator, folder, ...options) =>
      execute(
        "java",
        ["-jar", jar, "generate", "-i", document, "-g", generator, "-o", folder, ...options],
        directory,
      ),
  };
};

/** What one client did otherwise than expected. */
const findingsOf = async (client: Client, directory: string, commands: Commands, url: string) => {
  const folder = join(directory, client.name);
  await mkdir(folder);
  try {
    const [program, ...args] = await client.build(folder, commands);
    const { token } = await createAccount(url, directory);
    const NAME = `generated-${randomBytes(4).toString("hex")}`;
    const env = { ...process.env, API: url, TOKEN: token, NAME };
    const { stdout } = await run(program, args, { cwd: folder, env, timeout: 120_000 });
    // Maven writes codes of colours around it.
    const printed = JSON.stringify(JSON.parse(/\["[^\n]*\]/.exec(stdout)?.[0] ?? "null"));
    return printed === expected ? [] : [`${client.name}: printed ${printed}`];
  } catch (error) {
    if (error instanceof ToolMissing) throw error;
    return [`${client.name}: ${error instanceof Error ? error.message : error}`];
  }
};

/** Clients that others generate from the OpenAPI document compile as they are and work with the service. */
export const generatedClientsPart: Part = {
  name: "Clients generated from the OpenAPI document",
  paths: ["shared/http/openapi/openapi.json", "test/verify/generated"],
  run: () =>
    withLocalService(async ({ url, directory }) => {
      const commands = await commandsIn(directory);
      const findings: string[] = [];
      for (const client of clients) findings.push(...(await findingsOf(client, directory, commands, url)));
      const said = `${clients.map(({ name }) => name).join(", ")} register, translate, list jobs and read errors`;
      return verdictOf(findings, said);
    }),
};
