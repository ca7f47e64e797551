import type { ComponentChildren, VNode } from "preact";
import { FrameProvider, type PageFrame, useFrame } from "./frame.ts";
import { markAddress } from "./mark.tsx";
import { AppBar, Foot, Sidebar, TopBar } from "./navigation.tsx";
import { DocsSearch } from "./search.tsx";

/** A page is complete without its scripts, so style sheets come first. Preact's types lack this attribute of scripts. */
const loadedLast = { fetchpriority: "low" };

const DocumentHead = () => {
  const { title, texts, stylesheets, scripts, refreshSeconds } = useFrame();
  const [first, ...others] = scripts;
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
      <link rel="icon" href={markAddress} />
      {stylesheets.map((address) => (
        <link key={address} rel="stylesheet" href={address} />
      ))}
      {first !== undefined && (
        <script type="module" src={first} data-then={others.join(" ") || undefined} {...loadedLast} />
      )}
    </head>
  );
};

/** The main part of a page, which the first link of the page leads to. */
export const Main = ({ children }: { readonly children: ComponentChildren }) => (
  <main id="content" tabIndex={-1}>
    {children}
  </main>
);

/** The parts around the content of a page: a sidebar for accounts, a bar for everyone else. */
const Shell = ({ children }: { readonly children: ComponentChildren }) => {
  const { shell, username } = useFrame();
  if (shell === "console" && username !== undefined) {
    return (
      <>
        <AppBar />
        <div class="app">
          <Sidebar />
          <Main>{children}</Main>
        </div>
      </>
    );
  }
  if (shell === "docs") {
    // Pages of the documentation have their main part next to the other pages' names.
    return (
      <>
        <TopBar isWide>
          <DocsSearch />
        </TopBar>
        {children}
      </>
    );
  }
  return (
    <>
      <TopBar isWide={false} />
      <Main>
        {shell === "solo" && (
          <div class="solo">
            <div>{children}</div>
          </div>
        )}
        {(shell === "plain" || shell === "console") && <div class="within plain-page">{children}</div>}
        {shell === "home" && children}
      </Main>
    </>
  );
};

/** A page with navigation, content and, if there are several, a choice of languages. */
export const Layout = ({
  frame,
  children,
}: {
  readonly frame: PageFrame;
  readonly children: ComponentChildren;
}): VNode => (
  <FrameProvider value={frame}>
    <html lang={frame.language}>
      <DocumentHead />
      <body>
        <a class="skip" href="#content">
          {frame.texts.navigation.skip}
        </a>
        <Shell>{children}</Shell>
        <Foot />
      </body>
    </html>
  </FrameProvider>
);
