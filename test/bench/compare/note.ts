/** Tells the person who runs a benchmark something; its table goes to another stream. */
export const note = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
