/** A comment of the event stream format, which readers pass over. */
const comment = ": keep-alive\n\n";

/**
 * The same texts, with a comment whenever none has come for a while: proxies close connections on which nothing
 * happens, and a model that thinks, or a GPU that is busy, can be silent for longer than they wait.
 */
export async function* withKeepAlive(
  source: AsyncIterable<string>,
  milliseconds: number,
): AsyncGenerator<string, void, undefined> {
  const texts = source[Symbol.asyncIterator]();
  try {
    let next = texts.next();
    for (;;) {
      const silence = Promise.withResolvers<undefined>();
      const timer = setTimeout(silence.resolve, milliseconds, undefined);
      const result = await Promise.race([next, silence.promise]);
      clearTimeout(timer);
      if (result?.done) return;
      yield result?.value ?? comment;
      if (result) next = texts.next();
    }
  } finally {
    await texts.return?.();
  }
}
