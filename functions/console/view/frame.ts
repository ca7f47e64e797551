import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Texts } from "../texts/en.ts";
import type { ConsoleLanguage } from "../texts/languages.ts";

/** What every part of a page may need beside its own content. */
export interface PageFrame {
  readonly title: string;
  readonly texts: Texts;
  readonly language: ConsoleLanguage;
  /** The languages that a person may choose from; with one there is no choice to show. */
  readonly languages: readonly ConsoleLanguage[];
  /** The page as it is declared, such as `/console/usage`. */
  readonly path: string;
  /** The address of one of our paths: behind a stage prefix it begins with that. */
  readonly url: (path: string) => string;
  /** Whose session it is; `undefined` for those who are not signed in. */
  readonly username: string | undefined;
  /** What proves that a form was shown by us. */
  readonly formToken: string;
  readonly stylesheet: string;
  readonly scripts: readonly string[];
  /** After which the page is asked for again where no scripts run. */
  readonly refreshSeconds?: number | undefined;
  /** Reference pages and charts take more room than forms. */
  readonly isWide?: boolean;
}

const FrameContext = createContext<PageFrame | undefined>(undefined);

/** Gives the parts of a page what they need: a form its token, a link its prefix, a button its words. */
export const FrameProvider = FrameContext.Provider;

/** The frame of the page that is being rendered. */
export const useFrame = (): PageFrame => {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error("A part of a page was rendered without its layout.");
  return frame;
};
