/**
 * Fails the run when code closes a file descriptor a second time: by then its number may belong to a socket or a pipe of
 * another test, in any thread of this process, which fails with EBADF. Node only warns, and only in threads.
 */
const failWhenClosedTwice = ({ message }: Error): void => {
  if (message.includes("closed but not opened in unmanaged mode"))
    throw new Error(`Closed twice: ${message}`);
};

// This file is loaded once for each file of tests in the same thread.
const isWatched = process.listeners("warning").some(({ name }) => name === failWhenClosedTwice.name);
if (!isWatched) process.on("warning", failWhenClosedTwice);
