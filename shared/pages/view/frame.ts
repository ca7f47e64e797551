import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ConsoleLanguage, Texts } from "../texts/languages.ts";
import type { Shell } from "./shell.ts";

/** What all parts of a page can use. */
export interface PageFrame {
  readonly title: string;
  readonly texts: Texts;
  readonly language: ConsoleLanguage;
  /** The languages that a reader can choose from. */
  readonly languages: readonly ConsoleLanguage[];
  /** The path of the page's declaration, such as `/console/usage`. */
  readonly path: string;
  /** A path with the prefix of the stage. */
  readonly url: (path: string) => string;
  /** Where the script of a page for everyone reads whether its reader is logged in. */
  readonly sessionUrl?: string | undefined;
  /** `undefined` without a session. */
  readonly username: string | undefined;
  /** Whether the account may see the operators' pages. */
  readonly isOperator?: boolean;
  readonly formToken: string;
  readonly stylesheets: readonly string[];
  /** The first one loads the others, when the page has been painted. */
  readonly scripts: readonly string[];
  /** Reloads the page after this time if scripts do not run. */
  readonly refreshSeconds?: number | undefined;
  readonly shell: Shell;
}

const FrameContext = createContext<PageFrame | undefined>(undefined);

/** Passes the frame to all parts of a page. */
export const FrameProvider = FrameContext.Provider;

/** The frame of the current page. */
export const useFrame = (): PageFrame => {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error("A part of a page was rendered without its layout.");
  return frame;
};
