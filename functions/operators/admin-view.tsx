import type { ComponentChildren } from "preact";
import type { StoredAccount } from "../../shared/accounts/access/account.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { Badge, Notice, PageHead, TabBar } from "../../shared/pages/view/components.tsx";
import { Form } from "../../shared/pages/view/forms.tsx";
import { useFrame } from "../../shared/pages/view/frame.ts";

/** The operators' pages, in the order of their tabs. */
const tabs = [
  { to: "/console/admin", name: "accounts" },
  { to: "/console/admin/requests", name: "requests" },
  { to: "/console/admin/usage", name: "usage" },
  { to: "/console/admin/jobs", name: "jobs" },
  { to: "/console/admin/deliveries", name: "deliveries" },
  { to: "/console/admin/models", name: "models" },
  { to: "/console/admin/audit", name: "audit" },
] as const;

type AdminTab = (typeof tabs)[number]["name"];

/** The tabs of the operators' pages, above the heading of one of them. */
export const AdminPage = ({
  tab,
  title,
  intro,
  trail,
  children,
}: {
  readonly tab: AdminTab;
  /** By default the name of the tab. */
  readonly title?: ComponentChildren;
  readonly intro?: ComponentChildren;
  /** The pages above this one. */
  readonly trail?: ComponentChildren;
  readonly children: ComponentChildren;
}) => {
  const { texts, url } = useFrame();
  const { admin: words } = texts;
  return (
    <>
      <TabBar
        label={words.title}
        tabs={tabs.map(({ to, name }) => ({ href: url(to), label: words[name], isCurrent: name === tab }))}
      />
      {trail}
      <PageHead title={title ?? words[tab]}>{intro && <p class="soft">{intro}</p>}</PageHead>
      {children}
    </>
  );
};

/** The address of an account's page. */
export const adminAccountPath = (id: number): string => `/console/admin/accounts/${id}`;

/** An account by its name, with a link to its page; by its number when it was deleted. */
export const AccountLink = ({
  id,
  names,
}: {
  readonly id: number;
  readonly names: ReadonlyMap<number, string>;
}) => {
  const { url } = useFrame();
  return <a href={url(adminAccountPath(id))}>{names.get(id) ?? `#${id}`}</a>;
};

/** Whether an account can be used. */
export const StatusBadge = ({ account }: { readonly account: StoredAccount }) => {
  const { admin: words } = useFrame().texts;
  if (account.deletion_began !== undefined) return <Badge kind="bad">{words.beingDeleted}</Badge>;
  return account.disabled ? (
    <Badge kind="bad">{words.disabled}</Badge>
  ) : (
    <Badge kind="good">{words.active}</Badge>
  );
};

/** An act on an entry of a list: it opens with what it does, and then has a button. */
export const EntryAct = ({
  act,
  sent,
  children,
}: {
  readonly act: {
    readonly to: string;
    readonly action: string;
    readonly label: string;
    /** The label with the entry's name. */
    readonly named: string;
    readonly text: string;
    /** The hidden field that identifies the entry. */
    readonly entry: readonly [name: string, value: string];
    readonly isDangerous?: boolean;
  };
  readonly sent: Pick<Visit, "values">;
  /** More hidden fields. */
  readonly children?: ComponentChildren;
}) => {
  const [name, value] = act.entry;
  const isThis = sent.values["action"] === act.action && sent.values[name] === value;
  return (
    <details open={isThis} class={act.isDangerous ? "revoke" : "more"}>
      <summary aria-label={act.named}>{act.label}</summary>
      <p>{act.text}</p>
      <Form
        to={act.to}
        action={act.action}
        submit={act.named}
        look={act.isDangerous ? "danger" : "secondary"}
      >
        <input type="hidden" name={name} value={value} />
        {children}
      </Form>
    </details>
  );
};

/** Why an act was refused, above the list: its entry may no longer be in it. */
export const RefusedAct = ({ problems: { form } }: Pick<Visit, "problems">) =>
  form === undefined ? null : (
    <Notice kind="bad" isFocused>
      <p>{form}</p>
    </Notice>
  );

/** The next page of a list. */
export const More = ({ path, query }: { readonly path: string; readonly query: Record<string, string> }) => {
  const { texts, url } = useFrame();
  return (
    <p>
      <a href={`${url(path)}?${new URLSearchParams(query)}`}>{texts.admin.more}</a>
    </p>
  );
};
