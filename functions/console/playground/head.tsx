import { TabBar } from "../../../shared/pages/view/components.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import type { IconName } from "../../../shared/pages/view/icons.tsx";
import { type AttemptName, attemptNames } from "./attempts.ts";

export const playgroundPath = "/console/playground";
export const documentsPath = `${playgroundPath}/document` as const;

const icons: Readonly<Record<AttemptName, IconName>> = {
  translate: "languages",
  chat: "message",
  speak: "audio",
  transcribe: "microphone",
  identify: "search",
};

/** The title of the playground, and its tabs: one for each kind of request, and one for documents. */
export const PlaygroundHead = ({ current }: { readonly current: AttemptName | "document" }) => {
  const { texts, url } = useFrame();
  const words = texts.playground;
  const [first, ...others] = attemptNames.map((name) => ({
    href: `${url(playgroundPath)}?try=${name}`,
    label: words[name],
    isCurrent: name === current,
    icon: icons[name],
  }));
  const documents = {
    href: url(documentsPath),
    label: texts.documents.one,
    isCurrent: current === "document",
    icon: "document",
  } as const;
  return (
    <>
      <h1>{texts.navigation.playground}</h1>
      <p class="soft">{current === "document" ? texts.documents.intro : words.intro}</p>
      <TabBar label={words.attemptsTitle} tabs={[...(first ? [first] : []), documents, ...others]} />
    </>
  );
};
