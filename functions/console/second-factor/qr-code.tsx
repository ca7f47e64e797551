import { encode } from "uqr";

/** The white border that readers need, in modules (ISO/IEC 18004). */
const border = 4;

/** The dark modules of a row, as parts of a path: one for each run. */
const runsOf = (row: readonly boolean[], y: number): string[] => {
  const runs: string[] = [];
  for (let x = 0; x < row.length; x += 1) {
    if (!row[x]) continue;
    const end = row.indexOf(false, x);
    const length = (end === -1 ? row.length : end) - x;
    runs.push(`M${x} ${y}h${length}v1h-${length}z`);
    x += length;
  }
  return runs;
};

/** A QR code, dark on light in both colour schemes: many readers know no other. */
export const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { data, size } = encode(text, { ecc: "M", border });
  return (
    <svg
      class="qr-code"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={size * 5}
      height={size * 5}
      shape-rendering="crispEdges"
    >
      <rect class="light" width={size} height={size} />
      <path class="dark" d={data.flatMap(runsOf).join("")} />
    </svg>
  );
};
