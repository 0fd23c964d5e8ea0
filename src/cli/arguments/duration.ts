/** Parses durations such as `90s`, `15m` or `1h30m`; a bare number is seconds. */
import { InvalidArgumentError, Option } from 'commander';

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses an option's value into milliseconds. @throws InvalidArgumentError for any other text */
export function duration(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text) * units.s;
  const parts = [...text.matchAll(/(\d{1,9})(ms|[smhd])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new InvalidArgumentError('It must be a time such as 90s, 15m or 1h30m.');
  }
  return parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units],
    0,
  );
}

/** Makes the `--interval` option of commands that poll. */
export function intervalOption(): Option {
  return new Option(
    '--interval <time>',
    'how often to poll for changes that the daemon does not announce',
  )
    .argParser(duration)
    .default(2000, '2s');
}
