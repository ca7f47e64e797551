/** Where the scripts and style sheets of all pages are. */
export const assetsPath = "/console/assets/{file}";

const maxPathLength = 2_000;

/** What links depend on. */
interface LinkingSite {
  /** The public address, without a slash at the end. */
  readonly baseUrl: string;
  readonly languages: readonly string[];
  readonly isForEveryone?: boolean | undefined;
}

/**
 * The page to continue with after the login. Only pages of the console and the documentation are allowed.
 *
 * @returns path and query without the prefix of the stage; `undefined` for everything else.
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

/** The address of the login page that continues with another page. */
export const logInPath = (next: string): string =>
  next === "/console" ? "/console/log-in" : `/console/log-in?${new URLSearchParams({ next })}`;

const continuing =
  (path: string) =>
  (next: string): string =>
    `${path}?${new URLSearchParams({ next })}`;

/** What scripts of pages for everyone read: whether the reader is logged in. */
export const sessionPath = "/console/session";

/** Where such a script gets a token of the reader's account. */
export const docsTokenPath = "/docs/token";

export const logInCodePath = "/console/log-in/code";
export const secondFactorPath = "/console/account/second-factor";
export const confirmOwnerPath = "/console/account/confirm";

/** The address of the page for the code that continues with another page, for a session that has not shown one. */
export const codePath = continuing(logInCodePath);

/** The address of the set-up that continues with another page, for pages that need a second factor. */
export const setUpPath = continuing(secondFactorPath);

/** The address of the page for owners without a password and a second factor that continues with another page. */
export const confirmPath = continuing(confirmOwnerPath);

/**
 * Adds the prefix of the service to paths: the stage at API Gateway's default address, or a base path. Links have no host, so pages
 * work under any name of the service.
 *
 * @param baseUrl the public address, without a slash at the end.
 */
export const linksUnder = (baseUrl: string): ((path: string) => string) => {
  const { pathname } = new URL(baseUrl);
  const prefix = pathname === "/" ? "" : pathname;
  return (path) => `${prefix}${path}`;
};

/** Pages that are the same for everyone, so only their address says in which language they are. */
const pagesForEveryone = /^\/(?:docs|console\/languages|privacy|terms|status|quality)(?:[/?#]|$)/;

/** All pages: what else is linked to from pages belongs to the API, which reads `language` in its own way. */
const pages = /^\/(?:(?:console|docs|privacy|terms|status|quality|reset-password)(?:[/?#]|$)|[?#]|$)/;

/** Texts for programs and tokens have no language. */
const withoutLanguage = /^\/(?:docs\/token|console\/assets\/|[^?#]*\.(?:md|txt|json))/;

/**
 * Links of a page in one of several languages. Those to pages for everyone carry the language, and so do all links of such a page:
 * it has no cookie to remember it.
 */
export const linksInLanguage = (
  { baseUrl, languages, isForEveryone = false }: LinkingSite,
  language: string,
): ((path: string) => string) => {
  const url = linksUnder(baseUrl);
  if (languages.length < 2) return url;
  return (path) => {
    if (withoutLanguage.test(path) || !(isForEveryone ? pages : pagesForEveryone).test(path))
      return url(path);
    const [, address = "", anchor = ""] = /^([^#]*)(.*)$/.exec(path) ?? [];
    return url(`${address}${address.includes("?") ? "&" : "?"}language=${language}${anchor}`);
  };
};
