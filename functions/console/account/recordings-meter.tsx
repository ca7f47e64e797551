import type { Usage } from "../../../shared/accounts/usage/usage.ts";
import { Meter } from "../view/meter.tsx";

/** The month's usage of long recordings, in whole minutes. */
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
