let isFirst = true;

/** Whether this is the first line of its kind in the process: its request waited for the function to start. */
export const takeColdStart = (): boolean => {
  const isCold = isFirst;
  isFirst = false;
  return isCold;
};
