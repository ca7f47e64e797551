import { codeSamples } from "../samples/code-samples.ts";
import { CodeTabs } from "../view/code.tsx";
import { TabBar } from "../view/components.tsx";
import { useFrame } from "../view/frame.ts";
import type { IconName } from "../view/icons.tsx";
import { type AttemptName, attemptDefinitions, attemptNames } from "./attempts.ts";
import { AttemptPanel, type PanelProps } from "./panel.tsx";

const path = "/console/playground";

const icons: Readonly<Record<AttemptName, IconName>> = {
  translate: "languages",
  chat: "message",
  speak: "audio",
  transcribe: "microphone",
  identify: "search",
};

const Code = ({ current, values, addresses }: Pick<PanelProps, "current" | "values" | "addresses">) => {
  const { playground: words } = useFrame().texts;
  const { curl, typescript, python } = codeSamples(attemptDefinitions[current].request(values, addresses));
  return (
    <>
      <h2>{words.code}</h2>
      <p class="soft">{words.codeText}</p>
      <CodeTabs
        tabs={[
          { id: "curl", label: "curl", language: "bash", code: curl },
          { id: "typescript", label: "TypeScript", language: "typescript", code: typescript },
          { id: "python", label: "Python", language: "python", code: python },
        ]}
      />
    </>
  );
};

/** The playground: a panel for each kind of request, and the code of what is entered. */
export const Playground = (props: Omit<PanelProps, "action">) => {
  const { texts, url } = useFrame();
  const { current } = props;
  const words = texts.playground;
  return (
    <div class="playground">
      <h1>{texts.navigation.playground}</h1>
      <p class="soft">{words.intro}</p>
      <TabBar
        label={words.attemptsTitle}
        tabs={attemptNames.map((name) => ({
          href: `${url(path)}?try=${name}`,
          label: words[name],
          isCurrent: name === current,
          icon: icons[name],
        }))}
      />
      <AttemptPanel {...props} action={`${path}?try=${current}`} />
      <Code {...props} />
    </div>
  );
};
