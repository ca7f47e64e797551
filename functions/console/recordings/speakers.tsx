import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Field, Form } from "../../../shared/pages/view/forms.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import type { JobResult, JobSegment } from "../../../shared/recordings/jobs/job-result.ts";
import { maxNameLength } from "./pages.ts";

/** Who speaks in a recording. */
export type Speakers = NonNullable<JobResult["speakers"]>;

/** How many colours speakers have; then the first one again. */
const colours = 5;

const nameOf = ({ label, name }: Speakers[number]): string => name ?? label;

/** The attribute that colours what a speaker says. */
export const colourOf = (label: string | undefined, speakers: Speakers) => {
  const index = speakers.findIndex((speaker) => speaker.label === label);
  return index < 0 ? {} : { "data-speaker": (index % colours) + 1 };
};

/** The name of a speaker in front of what is said, where another one spoke before. */
export const SpeakerName = ({
  segments,
  index,
  speakers,
}: {
  readonly segments: readonly JobSegment[];
  readonly index: number;
  readonly speakers: Speakers;
}) => {
  const label = segments[index]?.speaker;
  const speaker = speakers.find((each) => each.label === label);
  if (!speaker || label === segments[index - 1]?.speaker) return null;
  return <b class="speaker">{nameOf(speaker)}</b>;
};

/** The speakers of a recording, and a form for the name of each. */
export const SpeakerNames = ({
  speakers,
  jobId,
  visit,
}: {
  readonly speakers: Speakers;
  readonly jobId: string;
  readonly visit: Pick<Visit, "problems" | "values">;
}) => {
  const words = useFrame().texts.recordings;
  if (speakers.length === 0) return null;
  const isSent = visit.values["action"] === "name-speaker";
  return (
    <section>
      <h2>{words.speakers}</h2>
      <p class="soft">{words.chooseSpeaker}</p>
      <ul class="speakers">
        {speakers.map((speaker) => {
          const isThis = isSent && visit.values["label"] === speaker.label;
          return (
            <li key={speaker.label} {...colourOf(speaker.label, speakers)}>
              <details class="more" open={isThis}>
                <summary>
                  <b class="speaker">{nameOf(speaker)}</b>
                </summary>
                <Form
                  to={`/console/recordings/${jobId}`}
                  action="name-speaker"
                  submit={words.nameSpeaker}
                  look="secondary"
                  problems={isThis ? visit.problems.fields : {}}
                >
                  <input type="hidden" name="label" value={speaker.label} />
                  <Field
                    name="name"
                    id={`name-${speaker.label}`}
                    label={fill(words.speakerName, { label: speaker.label })}
                    value={isThis ? visit.values["name"] : (speaker.name ?? "")}
                    problem={isThis ? visit.problems.fields["name"] : undefined}
                    maxlength={maxNameLength}
                    isOptional
                  />
                </Form>
              </details>
              {!speaker.is_certain && <p class="hint">{words.unsureSpeaker}</p>}
            </li>
          );
        })}
      </ul>
    </section>
  );
};
