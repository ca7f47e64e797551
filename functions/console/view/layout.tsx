import type { ComponentChildren, VNode } from "preact";
import { languageNames } from "../texts/languages.ts";
import { FrameProvider, type PageFrame, useFrame } from "./frame.ts";

const bars = ["M1 9h4v6H1z", "M7 3h4v18H7z", "M13 7h4v10h-4zM19 10h4v4h-4z"];

/** The icon is inline to save a request. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0b8a6c" d="${bars.join("")}"/></svg>`,
)}`;

const Mark = () => (
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    {bars.map((path) => (
      <path key={path} d={path} />
    ))}
  </svg>
);

const NavigationLink = ({ to, children }: { readonly to: string; readonly children: ComponentChildren }) => {
  const { url, path } = useFrame();
  return (
    <a href={url(to)} aria-current={path === to ? "page" : undefined}>
      {children}
    </a>
  );
};

const Navigation = () => {
  const { texts, url, username, formToken } = useFrame();
  const words = texts.navigation;
  return (
    <nav aria-label={words.label}>
      {username !== undefined && (
        <>
          <NavigationLink to="/console">{words.overview}</NavigationLink>
          <NavigationLink to="/console/recordings">{words.recordings}</NavigationLink>
          <NavigationLink to="/console/tokens">{words.keys}</NavigationLink>
          <NavigationLink to="/console/usage">{words.usage}</NavigationLink>
        </>
      )}
      <NavigationLink to="/console/playground">{words.playground}</NavigationLink>
      <NavigationLink to="/docs">{words.docs}</NavigationLink>
      {username === undefined ? (
        <>
          <NavigationLink to="/console/log-in">{words.logIn}</NavigationLink>
          <NavigationLink to="/console/sign-up">{words.signUp}</NavigationLink>
        </>
      ) : (
        <>
          <NavigationLink to="/console/account">{words.account}</NavigationLink>
          <form method="post" action={url("/console/log-out")}>
            <input type="hidden" name="form_token" value={formToken} />
            <button type="submit">{words.logOut}</button>
          </form>
        </>
      )}
    </nav>
  );
};

const LanguageChoice = () => {
  const { texts, language, languages } = useFrame();
  if (languages.length < 2) return null;
  return (
    <nav class="row" aria-label={texts.navigation.language}>
      {languages.map((tag) => (
        <a
          key={tag}
          href={`?language=${tag}`}
          lang={tag}
          hreflang={tag}
          aria-current={tag === language ? "true" : undefined}
        >
          {languageNames[tag]}
        </a>
      ))}
    </nav>
  );
};

const DocumentHead = () => {
  const { title, texts, stylesheet, scripts, refreshSeconds } = useFrame();
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} – ${texts.product}`}</title>
      {refreshSeconds !== undefined && (
        <noscript>
          <meta http-equiv="refresh" content={String(refreshSeconds)} />
        </noscript>
      )}
      <link rel="icon" href={icon} />
      <link rel="stylesheet" href={stylesheet} />
      {scripts.map((source) => (
        <script key={source} type="module" src={source} />
      ))}
    </head>
  );
};

/** A page with navigation, content and, if there are several, a choice of languages. */
export const Layout = ({
  frame,
  children,
}: {
  readonly frame: PageFrame;
  readonly children: ComponentChildren;
}): VNode => {
  const { texts, language, url, isWide } = frame;
  return (
    <FrameProvider value={frame}>
      <html lang={language}>
        <DocumentHead />
        <body class={isWide ? "wide" : undefined}>
          <a class="skip" href="#content">
            {texts.navigation.skip}
          </a>
          <header class="bar">
            <a class="brand" href={url("/")}>
              <Mark />
              {texts.product}
            </a>
            <Navigation />
          </header>
          <main id="content" tabIndex={-1}>
            {children}
          </main>
          <footer class="foot">
            <span>{texts.footer}</span>
            <LanguageChoice />
          </footer>
        </body>
      </html>
    </FrameProvider>
  );
};
