/** Writes a message to the person who runs a benchmark; its table goes to another stream. */
export const note = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
