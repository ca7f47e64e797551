/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

/** Components that belong together, under a heading that links can lead to. */
export const Part = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <section class="section stack">
    <h2 id={title.toLowerCase().replaceAll(" ", "-")}>{title}</h2>
    {children}
  </section>
);
