import { join } from "node:path";
import { vi } from "vitest";

const projectDirectory = join(import.meta.dirname, "../..");
let runs = 0;

/**
 * Runs a command of this repository in this process, which spares a start of Node and the loading of its modules. Variables,
 * arguments and exit code are afterwards as they were.
 *
 * @returns its exit code, and all that it printed
 */
export const runHere = async (
  file: string,
  args: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly code: number; readonly output: string }> => {
  runs += 1;
  const { argv, env } = process;
  let output = "";
  const note = (piece: string | Uint8Array): boolean => {
    output += String(piece);
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation(note),
  );
  process.argv = [process.execPath, file, ...args];
  process.env = { ...env, ...variables };
  process.exitCode = 0;
  try {
    // A module runs once by its address, so each run has another one.
    await import(`${join(projectDirectory, file)}?run=${runs}`);
    return { code: Number(process.exitCode), output };
  } finally {
    Object.assign(process, { argv, env, exitCode: undefined });
    for (const spy of spies) spy.mockRestore();
  }
};
