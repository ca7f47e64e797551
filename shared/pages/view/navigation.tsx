import type { ComponentChildren } from "preact";
import { languageNames } from "../texts/languages.ts";
import { useFrame } from "./frame.ts";
import { Icon, type IconName } from "./icons.tsx";
import { Mark } from "./mark.tsx";

interface Destination {
  readonly to: string;
  readonly icon: IconName;
  readonly label: string;
}

const useDestinations = () => {
  const { texts, isOperator } = useFrame();
  const { navigation: words } = texts;
  const open: readonly Destination[] = [
    { to: "/docs", icon: "docs", label: words.docs },
    { to: "/console/playground", icon: "playground", label: words.playground },
    { to: "/console/languages", icon: "languages", label: words.languages },
  ];
  const own: readonly Destination[] = [
    { to: "/console", icon: "overview", label: words.overview },
    { to: "/console/playground", icon: "playground", label: words.playground },
    { to: "/console/recordings", icon: "recordings", label: words.recordings },
    { to: "/console/tokens", icon: "keys", label: words.keys },
    { to: "/console/usage", icon: "usage", label: words.usage },
    ...(isOperator ? [{ to: "/console/admin", icon: "safe", label: words.admin } as const] : []),
  ];
  const reading: readonly Destination[] = [
    { to: "/docs", icon: "docs", label: words.docs },
    { to: "/console/languages", icon: "languages", label: words.languages },
  ];
  return { open, own, reading };
};

/** Whether a page belongs to a destination: `/console/recordings/1` to the recordings, but not to the overview. */
const isWithin = (path: string, to: string): boolean =>
  path === to || (to !== "/console" && path.startsWith(`${to}/`));

const Link = ({ to, icon, label }: Destination) => {
  const { url, path } = useFrame();
  return (
    <a href={url(to)} aria-current={isWithin(path, to) ? "page" : undefined}>
      <Icon name={icon} />
      <span>{label}</span>
    </a>
  );
};

const Links = ({
  of,
  children,
}: {
  readonly of: readonly Destination[];
  readonly children?: ComponentChildren;
}) => (
  <>
    {of.map((destination) => (
      <li key={destination.to}>
        <Link {...destination} />
      </li>
    ))}
    {children}
  </>
);

const LogOut = () => {
  const { texts, url, formToken } = useFrame();
  return (
    <form method="post" action={url("/console/log-out")}>
      <input type="hidden" name="form_token" value={formToken} />
      <button type="submit">
        <Icon name="logOut" />
        {texts.navigation.logOut}
      </button>
    </form>
  );
};

export const Brand = () => {
  const { texts, url } = useFrame();
  return (
    <a class="brand" href={url("/")}>
      <Mark />
      {texts.product}
    </a>
  );
};

const AccountLinks = () => {
  const { username = "" } = useFrame();
  return (
    <>
      <li>
        <Link to="/console/account" icon="account" label={username} />
      </li>
      <li>
        <LogOut />
      </li>
    </>
  );
};

/** Everything as a list that a button opens, for narrow screens. It works without a script. */
const Menu = () => {
  const { texts, username, sessionUrl } = useFrame();
  const { open, own, reading } = useDestinations();
  const { menu, logIn, overview } = texts.navigation;
  return (
    <details class="menu">
      <summary aria-label={menu}>
        <Icon name="menu" />
      </summary>
      <div>
        <nav aria-label={menu}>
          <ul>
            {username === undefined ? (
              <Links of={[...open, { to: "/console/log-in", icon: "account", label: logIn }]}>
                {sessionUrl !== undefined && (
                  <li data-for="account" hidden>
                    <Link to="/console" icon="overview" label={overview} />
                  </li>
                )}
              </Links>
            ) : (
              <Links of={[...own, ...reading]}>
                <AccountLinks />
              </Links>
            )}
          </ul>
        </nav>
      </div>
    </details>
  );
};

/** The bar of public pages. */
export const TopBar = ({
  isWide,
  children,
}: {
  readonly isWide: boolean;
  readonly children?: ComponentChildren;
}) => {
  const { texts, url, username, path, sessionUrl } = useFrame();
  const { open } = useDestinations();
  const { label, logIn, signUp, overview } = texts.navigation;
  return (
    <header class={isWide ? "top wide" : "top"}>
      <div class="within">
        <Brand />
        <nav class="links" aria-label={label}>
          {open.map(({ to, label: words }) => (
            <a key={to} href={url(to)} aria-current={isWithin(path, to) ? "page" : undefined}>
              {words}
            </a>
          ))}
        </nav>
        {children}
        <div class="end" data-session-url={sessionUrl}>
          {username === undefined && (
            <>
              <a class="log-in" href={url("/console/log-in")} data-for="visitor">
                {logIn}
              </a>
              <a class="button small" href={url("/console/sign-up")} data-for="visitor">
                {signUp}
              </a>
            </>
          )}
          {(username ?? sessionUrl) !== undefined && (
            <a class="button small" href={url("/console")} data-for="account" hidden={username === undefined}>
              {overview}
            </a>
          )}
          <Menu />
        </div>
      </div>
    </header>
  );
};

/** The bar of an account's pages on narrow screens; wide ones have the sidebar. */
export const AppBar = () => (
  <header class="top app-top">
    <div class="within">
      <Brand />
      <div class="end">
        <Menu />
      </div>
    </div>
  </header>
);

export const Sidebar = () => {
  const { texts } = useFrame();
  const { own, reading } = useDestinations();
  return (
    <aside class="side">
      <Brand />
      <nav aria-label={texts.navigation.label}>
        <ul>
          <Links of={own} />
        </ul>
        <ul class="divided">
          <Links of={reading} />
        </ul>
      </nav>
      <ul class="divided at-the-foot">
        <AccountLinks />
      </ul>
    </aside>
  );
};

const LanguageChoice = () => {
  const { texts, language, languages } = useFrame();
  if (languages.length < 2) return null;
  return (
    <nav aria-label={texts.navigation.language}>
      <ul>
        {languages.map((tag) => (
          <li key={tag}>
            <a
              href={`?language=${tag}`}
              lang={tag}
              hreflang={tag}
              aria-current={tag === language ? "true" : undefined}
            >
              {languageNames[tag]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

export const Foot = () => {
  const { texts, url } = useFrame();
  const { open } = useDestinations();
  return (
    <footer class="foot">
      <div class="within">
        <Brand />
        <ul>
          {open.map(({ to, label }) => (
            <li key={to}>
              <a href={url(to)}>{label}</a>
            </li>
          ))}
          <li>
            <a href={url("/quality")}>{texts.quality.title}</a>
          </li>
          <li>
            <a href={url("/openapi.json")}>{texts.navigation.openApi}</a>
          </li>
          <li>
            <a href={url("/privacy")}>{texts.navigation.privacy}</a>
          </li>
          <li>
            <a href={url("/terms")}>{texts.navigation.terms}</a>
          </li>
          <li>
            <a href={url("/status")}>{texts.navigation.status}</a>
          </li>
        </ul>
        <LanguageChoice />
      </div>
    </footer>
  );
};
