import type { Usage } from "../../accounts/usage/usage.ts";
import { Meter } from "./meter.tsx";

interface Shown {
  readonly usage: Usage;
  readonly label: string;
}

/** The month's usage of long recordings, in whole minutes. */
export const RecordingsMeter = ({ usage, label }: Shown) => {
  const { used, limit } = usage.recordings_this_month;
  return (
    <Meter
      label={label}
      used={Math.ceil(used / 60)}
      limit={limit === null ? null : Math.floor(limit / 60)}
      unit="minutes"
    />
  );
};

/** The month's characters of lists and documents. */
export const CharactersMeter = ({ usage, label }: Shown) => {
  const { used, limit } = usage.characters_this_month;
  return <Meter label={label} used={used} limit={limit} />;
};
