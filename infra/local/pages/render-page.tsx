/** @jsxImportSource preact */
import { renderToString } from "preact-render-to-string";
import { textsOf } from "../../../shared/pages/texts/languages.ts";
import { TabBar } from "../../../shared/pages/view/components.tsx";
import type { PageFrame } from "../../../shared/pages/view/frame.ts";
import { Layout } from "../../../shared/pages/view/layout.tsx";
import type { LocalFrame, LocalPage, RenderLocalPage } from "../local-page.ts";
import { Components } from "./components.tsx";
import { LocalHome, Mails, Messages } from "./local-views.tsx";

const titles = {
  home: "On this machine",
  mail: "Mails",
  messages: "Messages",
  components: "Components",
} as const satisfies Record<LocalPage["kind"], string>;

const paths = {
  home: "/_local",
  mail: "/_local/mail",
  messages: "/_local/messages",
  components: "/_local/components",
} as const satisfies Record<LocalPage["kind"], string>;

const kinds = ["home", "mail", "messages", "components"] as const;

const Content = ({ page, now }: { readonly page: LocalPage; readonly now: number }) => {
  switch (page.kind) {
    case "home":
      return <LocalHome links={page.links} />;
    case "mail":
      return <Mails mails={page.mails} now={now} />;
    case "messages":
      return <Messages messages={page.messages} now={now} />;
    case "components":
      return <Components colours={page.colours} />;
  }
};

const frameOf = ({ kind }: LocalPage, { base, stylesheets, scripts }: LocalFrame): PageFrame => ({
  title: titles[kind],
  texts: textsOf.en,
  language: "en",
  languages: ["en"],
  path: paths[kind],
  url: (path) => `${base}${path}`,
  username: undefined,
  formToken: "",
  stylesheets,
  scripts,
  shell: "plain",
});

/** Renders a page under `/_local`, in the layout of the console. */
export const renderLocalPage: RenderLocalPage = (page, frame) => {
  const tabs = kinds.map((kind) => ({
    href: `${frame.base}${paths[kind]}`,
    label: titles[kind],
    isCurrent: kind === page.kind,
  }));
  const html = renderToString(
    <Layout frame={frameOf(page, frame)}>
      <h1>{titles[page.kind]}</h1>
      <TabBar label="On this machine" tabs={tabs} />
      <Content page={page} now={frame.now} />
    </Layout>,
  );
  const style = frame.style === "" ? "" : `<style>${frame.style}</style>`;
  return `<!doctype html>${html.replace("</head>", `${style}</head>`)}`;
};
