import { useFrame } from "./frame.ts";
import { Icon } from "./icons.tsx";
import { LanguageField } from "./language-field.tsx";

/** The search of the documentation, which is in English in every language of the console. */
export const DocsSearch = ({
  label = "Search the docs",
  query = "",
}: {
  readonly label?: string;
  readonly query?: string;
}) => {
  const { url } = useFrame();
  return (
    // biome-ignore lint/a11y/useSemanticElements: older browsers do not know the element "search"
    <form class="search" role="search" aria-label={label} action={url("/docs/search")} lang="en">
      <Icon name="search" />
      <input
        type="search"
        name="q"
        aria-label={label}
        placeholder={label}
        value={query}
        maxLength={200}
        autocomplete="off"
      />
      <LanguageField />
    </form>
  );
};
