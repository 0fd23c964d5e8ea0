/** What a long run repeats at its end, because whoever reads the log of a CI run often sees its last lines only. */

/** A file that was not green. */
export interface Failure {
  readonly path: string;
  readonly faults: readonly string[];
  /** What its process printed. */
  readonly output: string;
}

/** The first lines that tell what failed; the whole output is printed where the file ended. */
const most = 40;

/** A failed test, a message, and the lines of a comparison that differ. */
const important = /^\s*(FAIL\b|--|\+\+|Error|[A-Za-z]*Error:|Expected )/;

/**
 * Returns the lines that name each failed file, its faults, its failed tests, and where an actual value (`--`) differs from an expected
 * one (`++`), with the line before the difference. Empty where no file failed.
 */
export function summarize(failures: readonly Failure[]): string[] {
  const lines = failures.flatMap(({ path, faults, output }) => [
    `  ${path}`,
    ...faults.map((fault) => `    ${fault}`),
    ...extract(output).map((line) => `    ${line}`),
  ]);
  return lines.length === 0 ? [] : ['failed:', ...lines];
}

function extract(output: string): string[] {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const chosen = lines.filter(
    (line, at) => important.test(line) || /^\s*(--|\+\+)/.test(lines[at + 1] ?? ''),
  );
  const left = chosen.length - most;
  return left > 0 ? [...chosen.slice(0, most), `… and ${left} lines more`] : chosen;
}
