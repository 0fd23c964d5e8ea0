/** Windows of time in which sessions may be approved, by the clock of a time zone. */

export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
type Day = (typeof days)[number];

/** From a time of day up to another one, `HH:MM` in quarters of an hour, on some days or every day. */
export interface Window {
  readonly days?: readonly Day[] | undefined;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

/** Clocks of all time zones differ from UTC by whole quarters of an hour, so a window opens and closes at one. */
const quarterMs = 15 * 60_000;

/** Windows come again each week. The second week is for a clock that is put forward over a window. */
const mostQuarters = 15 * 24 * 4;

export function isZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && clockOf(zone) !== null;
  } catch {
    return false;
  }
}

/**
 * Returns whether all of some lists of windows have an open one.
 * @param at milliseconds since 1970
 */
export function areOpen(lists: readonly (readonly Window[])[], at: number): boolean {
  return isOpenAt(lists)(at);
}

/** Returns the next time at which all are open, in milliseconds since 1970; null if they are not open together within two weeks. */
export function nextOpening(lists: readonly (readonly Window[])[], at: number): number | null {
  const isOpen = isOpenAt(lists);
  const first = (Math.floor(at / quarterMs) + 1) * quarterMs;
  for (let quarter = 0; quarter < mostQuarters; quarter += 1) {
    const time = first + quarter * quarterMs;
    if (isOpen(time)) return time;
  }
  return null;
}

function isOpenAt(lists: readonly (readonly Window[])[]): (at: number) => boolean {
  const spelt = new Set(lists.flat().map(({ zone }) => zone));
  // one clock for all spellings of a zone
  const zones = new Map(
    [...spelt].map((zone) => [zone, formatOf(zone).resolvedOptions().timeZone]),
  );
  const clocks = new Map([...new Set(zones.values())].map((zone) => [zone, clockOf(zone)]));
  return (at) => {
    const shown = new Map([...clocks].map(([zone, clock]) => [zone, clock(at)]));
    return lists.every((windows) =>
      windows.some(({ zone, days: some = days, from, to }) => {
        const [day, time = ''] = shown.get(zones.get(zone) ?? zone) ?? [];
        return some.some((wanted) => wanted === day) && from <= time && time < to;
      }),
    );
  };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}

/** Returns the function that reads the clock of a zone: the day, and the time as `HH:MM`. */
function clockOf(zone: string): (at: number) => readonly [string, string] {
  const format = formatOf(zone);
  return (at) => {
    const [day = '', time = ''] = format.format(at).split(/[, ]+/);
    return [day.toLowerCase(), time];
  };
}
