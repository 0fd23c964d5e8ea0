/** The signs in texts for people that are not ASCII, and what replaces them where a terminal does not show UTF-8. */
export interface Signs {
  /** Between the value before and after a change. */
  readonly arrow: string;
  readonly times: string;
  /** At the end of a text that was cut. */
  readonly cut: string;
}

export const unicodeSigns: Signs = { arrow: '→', times: '×', cut: '…' };
const asciiSigns: Signs = { arrow: '->', times: '*', cut: '...' };

/** Returns the signs of a locale. Where none is set, as in many containers, terminals still show UTF-8. */
export function signsOf(env: Readonly<Record<string, string | undefined>>): Signs {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return /utf-?8/i.test(locale) ? unicodeSigns : asciiSigns;
}
