import {
  findLanguages,
  type LanguageUse,
  type ListedLanguage,
  languageTasks,
} from "../../../shared/models/listed-languages.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { DataTable, EmptyState, Segments } from "../../../shared/pages/view/components.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import { LanguageField } from "../../../shared/pages/view/language-field.tsx";

const path = "/console/languages";

const linkOf = (task: LanguageUse | undefined, words: string | undefined): string => {
  const query = new URLSearchParams({ ...(task ? { task } : {}), ...(words ? { q: words } : {}) }).toString();
  return query === "" ? path : `${path}?${query}`;
};

/** The parameters of the playground that choose a language, for each task. */
const playgroundLink = (task: LanguageUse, { code, voices: [voice = ""] }: ListedLanguage): string => {
  const choice: Readonly<Record<LanguageUse, Readonly<Record<string, string>>>> = {
    translate: { source: code === "eng" ? "lug" : "eng", target: code },
    identify: {},
    transcribe: { language: code },
    speak: { voice },
  };
  return `/console/playground?${new URLSearchParams({ try: task, ...choice[task] })}`;
};

const Use = ({ task, language }: { readonly task: LanguageUse; readonly language: ListedLanguage }) => {
  const { texts, url } = useFrame();
  const { languages: words, playground } = texts;
  return (
    <a href={url(playgroundLink(task, language))} class="use">
      <Icon name="done" />
      {task === "speak" ? (
        fill(language.voices.length === 1 ? words.voice : words.voices, { count: language.voices.length })
      ) : (
        <span class="aloud">{playground[task]}</span>
      )}
      <span class="aloud"> {language.name}</span>
    </a>
  );
};

const Search = ({ task, words }: { readonly task: LanguageUse | undefined; readonly words: string }) => {
  const { texts, url } = useFrame();
  const label = texts.languages.search;
  return (
    // biome-ignore lint/a11y/useSemanticElements: older browsers do not know the element "search"
    <form class="search" role="search" aria-label={label} action={url(path)}>
      <Icon name="search" />
      <input type="search" name="q" aria-label={label} placeholder={label} value={words} maxLength={100} />
      {task !== undefined && <input type="hidden" name="task" value={task} />}
      <LanguageField />
    </form>
  );
};

/** The languages and what each can be used for. */
export const Languages = ({
  task,
  words = "",
}: {
  readonly task: LanguageUse | undefined;
  readonly words?: string | undefined;
}) => {
  const { texts, url } = useFrame();
  const { languages: page, playground } = texts;
  const all = findLanguages(undefined);
  const found = findLanguages(task, words);
  const choices = [undefined, ...languageTasks].map((each) => ({
    href: url(linkOf(each, words)),
    label: `${each === undefined ? page.all : playground[each]} (${findLanguages(each).length})`,
    isCurrent: each === task,
  }));
  return (
    <>
      <h1>{page.title}</h1>
      <p class="lead">{fill(page.lead, { count: all.length })}</p>
      <div class="filters">
        <Segments label={page.filter} choices={choices} />
        <Search task={task} words={words} />
      </div>
      {found.length === 0 ? (
        <EmptyState title={page.none}>
          <a class="button secondary" href={url(path)}>
            {page.showAll}
          </a>
        </EmptyState>
      ) : (
        <DataTable
          caption={fill(page.found, { count: found.length })}
          isStacked
          columns={[
            { label: page.language },
            { label: page.code },
            ...languageTasks.map((each) => ({ label: playground[each] })),
          ]}
          rows={found.map((language) => [
            <span key="name" id={language.code}>
              {language.name}
            </span>,
            <code key="code">{language.code}</code>,
            ...languageTasks.map((each) => language.uses[each] && <Use task={each} language={language} />),
          ])}
        />
      )}
    </>
  );
};
