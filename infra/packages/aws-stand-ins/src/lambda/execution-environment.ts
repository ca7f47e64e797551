import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type FunctionConfiguration, heapOptions, processEnvironment } from "./function-configuration.ts";
import { exitError, type FunctionError, type Invocation, timeoutError } from "./invocation.ts";
import type { RuntimeApi, RuntimeSession } from "./runtime-api.ts";

/** A line longer than this is passed on in parts, so that a function cannot fill the memory of the service. */
const maxLineLength = 1024 * 1024;

/**
 * Calls back with every line of a process's output, as soon as it is complete, and with an unfinished last one
 * at the end. Only line feeds end lines: `node:readline` would also cut the JSON of a log record at a U+2028.
 */
const readLines = (output: Readable, onLine: (line: string) => void): void => {
  let pending = "";
  output.setEncoding("utf8");
  output.on("data", (text: string) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) onLine(line);
    if (pending.length > maxLineLength) {
      onLine(pending);
      pending = "";
    }
  });
  output.once("end", () => {
    if (pending !== "") onLine(pending);
  });
};

const bootstrap = fileURLToPath(new URL("./runtime/bootstrap.mjs", import.meta.url));

/** AWS allows ten seconds to initialise, and after that the function's timeout. */
const initializationSeconds = 10;

/** What an environment reports to its pool. */
export interface EnvironmentListener {
  /** It waits for an invocation: after its start, and after each invocation. */
  ready(): void;
  /** It has given its result and is about to be ready again. */
  responded(): void;
  /** Its process has ended. The error is set if it has never been ready and was not stopped. */
  exited(initializationError: FunctionError | undefined): void;
}

/** One process that runs one function, one invocation at a time. */
export class ExecutionEnvironment implements RuntimeSession {
  readonly id = randomUUID();
  readonly #configuration: FunctionConfiguration;
  readonly #listener: EnvironmentListener;
  readonly #runtimeApi: RuntimeApi;
  readonly #log: (line: string) => void;
  readonly #child: ChildProcess;
  readonly #exited = Promise.withResolvers<void>();
  #state: "starting" | "running" | "stopped" = "starting";
  #initializationError: FunctionError | undefined;
  #invocation: Invocation | undefined;
  #takeInvocation: ((invocation: Invocation) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    configuration: FunctionConfiguration;
    runtimeApi: RuntimeApi;
    listener: EnvironmentListener;
    log: (line: string) => void;
  }) {
    this.#configuration = options.configuration;
    this.#runtimeApi = options.runtimeApi;
    this.#listener = options.listener;
    this.#log = options.log;
    this.#child = this.#spawn();
    this.#limitInitialization();
  }

  /** Resolved when the process is gone. */
  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  /** Starts the invocation. The environment must be ready. */
  invoke(invocation: Invocation): void {
    const { timeoutSeconds } = this.#configuration;
    this.#invocation = invocation;
    invocation.deadline = Date.now() + timeoutSeconds * 1000;
    this.#timer = setTimeout(() => this.#timeOut(invocation), timeoutSeconds * 1000);
    this.#takeInvocation?.(invocation);
    this.#takeInvocation = undefined;
  }

  /** Ends the process at once, during any work. */
  stop(): void {
    this.#state = "stopped";
    this.#child.kill("SIGKILL");
  }

  nextInvocation(): Promise<Invocation> {
    clearTimeout(this.#timer);
    this.#invocation?.finish();
    this.#invocation = undefined;
    if (this.#state === "starting") this.#state = "running";
    const { promise, resolve } = Promise.withResolvers<Invocation>();
    this.#takeInvocation = resolve;
    this.#listener.ready();
    return promise;
  }

  currentInvocation(requestId: string): Invocation | undefined {
    return this.#invocation?.requestId === requestId ? this.#invocation : undefined;
  }

  responded(): void {
    this.#listener.responded();
  }

  failInitialization(error: FunctionError): void {
    this.#initializationError = error;
  }

  #spawn(): ChildProcess {
    const { directory, memoryMegabytes, inspectorPort } = this.#configuration;
    const options = ["--enable-source-maps", ...heapOptions(memoryMegabytes)];
    if (inspectorPort !== undefined) options.push(`--inspect=127.0.0.1:${inspectorPort}`);
    const child = spawn(process.execPath, [...options, bootstrap], {
      cwd: directory,
      env: processEnvironment(this.#configuration, this.#runtimeApi.open(this)),
      // Standard input stays open and silent: its end shows the process that its parent has ended.
      stdio: "pipe",
      windowsHide: true,
    });
    child.stdin.on("error", () => {});
    readLines(child.stdout, this.#log);
    readLines(child.stderr, this.#log);
    child.once("exit", (code, signal) => this.#onExit(exitError(this.#invocation?.requestId, code, signal)));
    child.once("error", (error) => {
      this.#onExit({ errorType: "Runtime.InvalidEntrypoint", errorMessage: error.message });
    });
    return child;
  }

  #limitInitialization(): void {
    const seconds = Math.max(initializationSeconds, this.#configuration.timeoutSeconds);
    this.#timer = setTimeout(() => {
      this.#initializationError = timeoutError(undefined, seconds);
      this.#child.kill("SIGKILL");
    }, seconds * 1000);
  }

  #timeOut(invocation: Invocation): void {
    const error = timeoutError(invocation.requestId, this.#configuration.timeoutSeconds);
    this.#log(error.errorMessage);
    invocation.fail(error);
    this.#state = "stopped";
    this.#child.kill("SIGKILL");
  }

  #onExit(error: FunctionError): void {
    clearTimeout(this.#timer);
    this.#runtimeApi.close(this);
    if (this.#state === "running") this.#log(error.errorMessage);
    this.#invocation?.fail(error);
    this.#invocation?.finish();
    this.#exited.resolve();
    this.#listener.exited(this.#state === "starting" ? (this.#initializationError ?? error) : undefined);
  }
}
