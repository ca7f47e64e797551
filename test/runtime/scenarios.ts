/** One thing a runtime does, shown by a handler and the events it is given. */
export interface Scenario {
  readonly title: string;
  /** As in `_HANDLER`. */
  readonly handler: string;
  /** Given one after the other; two of them show whether a process outlives a failure. */
  readonly events: readonly unknown[];
}

const scenario = (title: string, handler: string, ...events: unknown[]): Scenario => ({
  title,
  handler: handler.includes(".") ? handler : `handlers.${handler}`,
  events: events.length === 0 ? [{}] : events,
});

export const scenarios: readonly Scenario[] = [
  scenario("a result", "returnEvent", { text: "Wasuze otya? 😀" }, [1, null]),
  scenario("no result", "returnNothing"),
  scenario("a result without a promise", "returnPlainly"),
  scenario("a result that is no JSON", "returnCycle", {}, {}),
  scenario("the context", "returnContext"),
  scenario("a nested handler", "handlers.nested.deep.handler"),

  scenario("an error thrown", "throwPlainly", {}, {}),
  scenario("an error of its own class", "rejectCustom"),
  scenario("a text thrown", "rejectText"),
  scenario("an unhandled rejection", "floatingRejection", {}, {}),
  scenario("a promise that never resolves", "nothingLeftToDo", {}, {}),

  scenario("a handler with a callback", "callback"),
  scenario("a handler that is no function", "notAFunction"),
  scenario("a handler that is not exported", "missing"),
  { title: "a handler without an export's name", handler: "handlers", events: [{}] },
  scenario("a handler outside of its folder", "../handlers.returnEvent"),
  scenario("a missing module", "absent.handler"),
  scenario("a module that throws", "throwing-module.handler"),
  scenario("a module that is no JavaScript", "broken-module.handler"),

  scenario("a stream", "stream", {}, {}),
  scenario("a stream with a prelude", "streamPrelude", {}, {}),
  scenario("a stream with a prelude that is only ended", "streamEndedOnly"),
  scenario("a stream of nothing", "streamNothing"),
  scenario("a streaming handler that returns something", "streamReturning"),
  scenario("a stream that is not ended", "streamUnended"),
  scenario("a streaming handler that is not async", "streamNotAsync"),
  scenario("an error before the first byte", "streamThrowingFirst", {}, {}),
  scenario("an error midway", "streamThrowingMidway", {}, {}),
  scenario("an error after the end", "streamThrowingLast", {}, {}),
  scenario("a pipeline whose source fails", "streamPipelineFailing", {}, {}),
  scenario("a stream that is destroyed", "streamDestroyed", {}, {}),
  scenario("a content type that is set too late", "streamLateContentType"),
];
