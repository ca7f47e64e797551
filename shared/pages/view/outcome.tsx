import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icons.tsx";
import { MatPicture } from "./mat.tsx";

/** The result of a step, in one sentence, and where to go from here. */
export const Outcome = ({
  icon,
  title,
  action,
  children,
}: {
  /** Without one, a piece of the mat. */
  readonly icon?: IconName;
  readonly title: string;
  readonly action: { readonly href: string; readonly words: string };
  readonly children: ComponentChildren;
}) => (
  <section class={icon === "problem" ? "card outcome bad" : "card outcome"}>
    {icon ? <Icon name={icon} /> : <MatPicture />}
    <h1>{title}</h1>
    <p class="soft">{children}</p>
    <a class="button full" href={action.href}>
      {action.words}
    </a>
  </section>
);
