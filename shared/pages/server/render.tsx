import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Texts } from "../texts/languages.ts";
import { type ConsoleLanguage, chooseConsoleLanguage, textsOf } from "../texts/languages.ts";
import type { PageFrame } from "../view/frame.ts";
import { Layout } from "../view/layout.tsx";
import { assetPath } from "./assets.ts";
import { cookiesAt } from "./cookies.ts";
import type { Page } from "./define-page.ts";
import type { ReachedOrigins } from "./headers.ts";
import { linksInLanguage, linksUnder, sessionPath } from "./links.ts";
import type { NamedAsset } from "./named-assets.ts";

export interface Site {
  /** The public address, without a slash at the end. */
  readonly baseUrl: string;
  readonly origins: ReachedOrigins;
  readonly assets: readonly NamedAsset[];
  /** At least one. */
  readonly languages: readonly ConsoleLanguage[];
  /** Its pages read and set no cookie, so that a cache may send one response to everyone. */
  readonly isForEveryone?: boolean;
}

/** The reader's language: that of the address, then that of the cookie if pages have some, then that of the browser. */
export const languageFor = (
  headers: Readonly<Record<string, string | undefined>>,
  { baseUrl, languages, isForEveryone }: Pick<Site, "baseUrl" | "languages" | "isForEveryone">,
  chosen?: string,
): { readonly language: ConsoleLanguage; readonly texts: Texts } => {
  const cookie = isForEveryone ? undefined : cookiesAt(baseUrl).read(headers["cookie"], "language");
  const language = chooseConsoleLanguage(languages, [chosen, cookie], headers["accept-language"]);
  return { language, texts: textsOf[language] };
};

export type OwnFrame = Pick<PageFrame, "title" | "texts" | "language" | "path" | "username" | "formToken"> & {
  readonly scripts?: readonly string[] | undefined;
  readonly styles?: Page["styles"];
  readonly refreshSeconds?: number | undefined;
  readonly shell?: PageFrame["shell"] | undefined;
  readonly isOperator?: boolean;
};

export const renderPage = (
  { scripts = [], styles = [], shell = "plain", isOperator = false, ...own }: OwnFrame,
  content: ComponentChildren,
  site: Site,
): string => {
  const { baseUrl, assets, languages, isForEveryone = false } = site;
  const files = (name: string) => assetPath(assets, name).map(linksUnder(baseUrl));
  const frame: PageFrame = {
    ...own,
    shell,
    isOperator,
    languages,
    sessionUrl: isForEveryone ? linksUnder(baseUrl)(sessionPath) : undefined,
    url: linksInLanguage(site, own.language),
    stylesheets: ["style", ...styles].flatMap((name) => files(`${name}.css`)),
    scripts: scripts.flatMap((name) => files(`${name}.js`)),
  };
  return `<!doctype html>${renderToString(<Layout frame={frame}>{content}</Layout>)}`;
};
