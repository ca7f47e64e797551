/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import {
  Badge,
  CopyButton,
  EmptyState,
  Notice,
  PageHead,
  Segments,
  TabBar,
  Trail,
} from "../../../shared/pages/view/components.tsx";
import { Icon, iconNames } from "../../../shared/pages/view/icons.tsx";
import { MatDivider } from "../../../shared/pages/view/mat.tsx";
import { Outcome } from "../../../shared/pages/view/outcome.tsx";
import { DataSamples } from "./data-samples.tsx";
import { FormSamples } from "./form-samples.tsx";
import { Part } from "./part.tsx";

const Colours = ({ colours }: { readonly colours: readonly string[] }) => (
  <Part title="Colours">
    <ul class="samples">
      {colours.map((name) => (
        <li key={name}>
          <div class={`swatch ${name}`} />
          <p class="small faint">{name}</p>
        </li>
      ))}
    </ul>
  </Part>
);

const Type = () => (
  <Part title="Type">
    <p class="large-heading">Large heading</p>
    <p class="lead">A lead says in one or two sentences what a page is for.</p>
    <p>
      Text, with <a href="#forms">a link to the forms</a>, <strong>strong words</strong> and <code>code</code>
      .
    </p>
    <p class="soft">Soft text</p>
    <p class="small">Small text</p>
    <p class="small faint">Faint, small text</p>
    <h3>A heading within a part</h3>
    <ul>
      <li>One thing</li>
      <li>Another thing</li>
    </ul>
  </Part>
);

const Buttons = () => (
  <Part title="Buttons">
    <div class="row">
      <button type="button" class="button">
        Create key
      </button>
      <button type="button" class="button secondary">
        Cancel
      </button>
      <button type="button" class="button quiet">
        <Icon name="renew" />
        Try again
      </button>
      <button type="button" class="button danger">
        Revoke key
      </button>
      <button type="button" class="button" disabled>
        Disabled
      </button>
      <button type="button" class="button" aria-busy="true">
        Translating…
      </button>
    </div>
    <div class="row" data-copied>
      <button type="button" class="button large">
        Large
      </button>
      <button type="button" class="button small">
        Small
      </button>
      <button type="button" class="button secondary square" aria-label="Swap languages">
        <Icon name="swap" />
      </button>
      <code>Copied by the button</code>
      <CopyButton look="button secondary" />
    </div>
    <p class="or">or</p>
    <a class="button secondary full" href="#buttons">
      As wide as its card
    </a>
  </Part>
);

const Icons = () => (
  <Part title="Icons">
    <ul class="samples">
      {iconNames.map((name) => (
        <li key={name} class="row">
          <Icon name={name} />
          <span class="small">{name}</span>
        </li>
      ))}
    </ul>
    <MatDivider />
  </Part>
);

const Notices = () => (
  <Part title="Notices">
    <Notice title="Your key works">
      <p>Its first request came just now.</p>
    </Notice>
    <Notice
      kind="warning"
      title="Verify your email address"
      action={
        <button type="button" class="button secondary">
          Send the link again
        </button>
      }
    >
      <p>We have sent a link to amina@example.com.</p>
    </Notice>
    <Notice kind="bad" title="The upload stopped">
      <p>Check your connection, then choose Resume.</p>
    </Notice>
  </Part>
);

const choices = (label: string) => [
  { href: "#navigation", label, isCurrent: true },
  { href: "#forms", label: "Another", isCurrent: false },
  { href: "#data", label: "A third", isCurrent: false },
];

const Navigation = () => (
  <Part title="Navigation">
    <PageHead
      title="The head of a page"
      action={
        <a class="button" href="#navigation">
          What it is for
        </a>
      }
    >
      <p>One sentence about the page.</p>
    </PageHead>
    <Trail steps={[{ to: "/console/recordings", label: "Recordings" }]}>council.wav</Trail>
    <TabBar label="Pages that belong together" tabs={choices("Translate")} />
    <Segments label="A choice of few" choices={choices("14 days")} />
    <p class="row">
      <Badge>Draft</Badge>
      <Badge kind="good" icon="done">
        Done
      </Badge>
      <Badge kind="warning" icon="time">
        Running
      </Badge>
      <Badge kind="bad" icon="problem">
        Failed
      </Badge>
      <Badge kind="method">POST</Badge>
    </p>
    <p class="chips">
      <a class="chip" href="#navigation" aria-current="true">
        All
      </a>
      <a class="chip" href="#navigation">
        Luganda
      </a>
    </p>
  </Part>
);

const Narrow = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="solo">
    <div>{children}</div>
  </div>
);

const States = () => (
  <Part title="States of a page">
    <EmptyState title="No recordings yet">
      <p>Your recordings appear here.</p>
      <a class="button" href="#states-of-a-page">
        Upload a recording
      </a>
    </EmptyState>
    <Narrow>
      <Outcome
        icon="mail"
        title="Check your email"
        action={{ href: "#forms", words: "Go to the login page" }}
      >
        The result of a step is one sentence and one button.
      </Outcome>
    </Narrow>
    <Narrow>
      <Outcome
        icon="problem"
        title="This link does not work"
        action={{ href: "#forms", words: "Get a new link" }}
      >
        It is incomplete, has expired, or was already used.
      </Outcome>
    </Narrow>
  </Part>
);

/** Every component of the console's pages, in its states. */
export const Components = ({ colours }: { readonly colours: readonly string[] }) => (
  <>
    <p class="lead">New pages use these. Their sources are in shared/pages/view.</p>
    <Colours colours={colours} />
    <Type />
    <Buttons />
    <Icons />
    <Notices />
    <Navigation />
    <FormSamples />
    <DataSamples />
    <States />
  </>
);
