/** The longest address that is returned to. */
const maxPathLength = 2_000;

/**
 * Where to go on after a log-in, if it is a page of ours: nothing that a request says leads anywhere else.
 *
 * @returns path and query, as pages are declared; `undefined` for everything else.
 */
export const readNext = (next: string | undefined): string | undefined => {
  if (next === undefined || next.length > maxPathLength || !/^\/(?:console|docs)(?:[/?]|$)/.test(next))
    return undefined;
  const base = "https://console.invalid";
  if (!URL.canParse(next, base)) return undefined;
  const { origin, pathname, search } = new URL(next, base);
  const isOurs = origin === base && /^\/(?:console|docs)(?:\/|$)/.test(pathname);
  return isOurs && !/^\/console\/log-(?:in|out)(?:\/|$)/.test(pathname) ? `${pathname}${search}` : undefined;
};

/** The address of the log-in that leads to a page afterwards. */
export const logInPath = (next: string): string =>
  next === "/console" ? "/console/log-in" : `/console/log-in?${new URLSearchParams({ next })}`;

/**
 * Makes paths of ours into what a link has to say, with what stands in front of all of them: the stage at API Gateway's default
 * address, a base path elsewhere. No host, so that a page works by whichever name it was called.
 *
 * @param baseUrl where callers reach the service; no slash at the end.
 */
export const linksUnder = (baseUrl: string): ((path: string) => string) => {
  const { pathname } = new URL(baseUrl);
  const prefix = pathname === "/" ? "" : pathname;
  return (path) => `${prefix}${path}`;
};
