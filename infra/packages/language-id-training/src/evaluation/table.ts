/** A share as a percentage with one decimal; a dash when there is none. */
export const percent = (share: number | undefined, decimals = 1): string =>
  share === undefined || Number.isNaN(share) ? "-" : (100 * share).toFixed(decimals);

/** Lays rows out as a Markdown table whose columns also line up in a terminal. The first row is the head. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${cells.join(" | ")} |`;
  });
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
};
