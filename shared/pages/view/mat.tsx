/** The squares of a diamond of the woven mat, 12 by 12, row by row: `g` green, `o` gold. */
const diamond = [
  "",
  ".....gg",
  "....gggg",
  "...gg..gg",
  "..gg....gg",
  ".gg..oo..gg",
  ".gg..oo..gg",
  "..gg....gg",
  "...gg..gg",
  "....gggg",
  ".....gg",
];

const squares = (letter: string): string =>
  diamond
    .flatMap((row, y) => Array.from(row, (sign, x) => (sign === letter ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");

const [green, gold] = [squares("g"), squares("o")];

const Diamond = () => (
  <>
    <path class="mat-green" d={green} />
    <path class="mat-gold" d={gold} />
  </>
);

/** A line of diamonds between two parts of a page. */
export const MatDivider = () => (
  <div class="mat" aria-hidden="true">
    <svg width="100%" height="13" aria-hidden="true">
      <pattern id="mat" width="13" height="13" patternUnits="userSpaceOnUse" patternTransform="scale(1.083)">
        <Diamond />
      </pattern>
      <rect width="100%" height="13" fill="url(#mat)" />
    </svg>
  </div>
);

/** A piece of the mat, for what is still empty. */
export const MatPicture = () => (
  <svg viewBox="0 0 60 36" aria-hidden="true">
    {[0, 1, 2].flatMap((row) =>
      [0, 1, 2, 3, 4].map((column) => (
        <g key={`${row} ${column}`} transform={`translate(${column * 12} ${row * 12})`}>
          <Diamond />
        </g>
      )),
    )}
  </svg>
);
