import type { Usage } from "../../../shared/accounts/usage/usage.ts";
import { Meter } from "../view/components.tsx";

/** How much of the month's recordings jobs have transcribed, in the whole minutes that people think in. */
export const RecordingsMeter = ({ usage, label }: { readonly usage: Usage; readonly label: string }) => {
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
