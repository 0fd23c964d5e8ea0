/** Decides whether to write colours, and writes them. */
import { styleText } from 'node:util';
import type { Signs } from '../../client/signs.ts';
import { unicodeSigns } from '../../client/signs.ts';
import type { ThemeName } from '../../tui/terminal/theme.ts';
import type { Host } from '../host.ts';

export const colourModes = ['auto', 'always', 'never'] as const;
export type ColourMode = (typeof colourModes)[number];

/**
 * Returns whether a stream gets colours: decided by the first that is set of the flag, NO_COLOR, FORCE_COLOR or CLICOLOR_FORCE, and
 * CLICOLOR=0 or TERM=dumb, else by whether it is a terminal. Sources: no-color.org, force-color.org, bixense.com/clicolors.
 */
export function wantsColour(mode: ColourMode, env: Host['env'], isTerminal: boolean): boolean {
  if (mode !== 'auto') return mode === 'always';
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'] ?? env['CLICOLOR_FORCE'];
  if (forced !== undefined && forced !== '') return forced !== '0';
  if (env['CLICOLOR'] === '0' || env['TERM'] === 'dumb') return false;
  return isTerminal;
}

/** The colour of each style. Only the sixteen base colours are used, and no meaning depends on colour alone. */
const standard = {
  added: 'green',
  changed: 'yellow',
  removed: 'red',
  heading: 'bold',
  faint: 'dim',
  failure: 'red',
  advice: 'cyan',
} as const;

export type Style = keyof typeof standard;

const themes = {
  standard,
  'blue-orange': {
    ...standard,
    added: 'blueBright',
    changed: 'bold',
    removed: 'yellow',
    failure: 'yellow',
  },
} as const;

/** Returns the theme that STAGE_THEME names. */
export const themeOf = ({ STAGE_THEME }: Host['env']): ThemeName =>
  STAGE_THEME === 'blue-orange' ? STAGE_THEME : 'standard';

export interface Paint {
  (style: Style, text: string): string;
  /** The signs that the terminal shows. */
  readonly signs: Signs;
}

/** Makes a function that colours text, or returns it unchanged if disabled. */
export function createPaint(
  enabled: boolean,
  theme: ThemeName = 'standard',
  signs: Signs = unicodeSigns,
): Paint {
  const coloured = (style: Style, text: string) =>
    text === '' ? '' : styleText(themes[theme][style], text, { validateStream: false });
  const plain = (_: Style, text: string) => text;
  return Object.assign(enabled ? coloured : plain, { signs });
}
