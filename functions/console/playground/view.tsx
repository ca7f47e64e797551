import { codeSamples } from "../../../shared/pages/samples/code-samples.ts";
import { CodeTabs } from "../../../shared/pages/view/code.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { attemptDefinitions } from "./attempts.ts";
import { PlaygroundHead, playgroundPath } from "./head.tsx";
import { AttemptPanel, type PanelProps } from "./panel.tsx";

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
  const { current } = props;
  return (
    <div class="playground">
      <PlaygroundHead current={current} />
      <AttemptPanel {...props} action={`${playgroundPath}?try=${current}`} />
      <Code {...props} />
    </div>
  );
};
