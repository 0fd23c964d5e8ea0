/** Decides whether `stage diff` opens the terminal interface, and opens it. */

import type { Connection, Context } from '../context.ts';
import { approverOf } from '../context.ts';
import { themeOf, wantsColour } from '../output/colour.ts';
import { readMarks, saveMarks } from '../review-marks.ts';

/** Options that request text in a certain format. */
const aboutText = [
  'output',
  'json',
  'mode',
  'stat',
  'brief',
  'summary',
  'nameOnly',
  'steps',
  'why',
  'table',
  'filter',
  'where',
  'limit',
  'patch',
];

/**
 * Returns whether stdin and stdout are terminals, no option about the format is set, and neither a screen reader nor CI needs linear
 * output.
 */
export function wantsInterface({ host, out }: Context, options: object): boolean {
  const { env, stdin } = host;
  const asked = aboutText.some((name) => name in options);
  const linear = env['TERM'] === 'dumb' || env['STAGE_ACCESSIBLE'] || env['INK_SCREEN_READER'];
  const isTerminal = out.terminal && stdin.isTTY === true && stdin.setRawMode !== undefined;
  return isTerminal && !asked && !linear && !env['CI'];
}

/** Opens the interface and returns the number of changes. */
export async function openInterface(
  { host, options }: Context,
  { api, interruption, settings }: Connection,
  id: string,
): Promise<number> {
  // Ink and React take 0.46 s of processor time to load, and nothing else needs them
  const { openDiff } = await import('../../tui/open-diff.tsx');
  const colour = options.color === false ? 'never' : options.color;
  const { changes, marks } = await openDiff({
    api,
    session: id,
    approver: approverOf({ settings }),
    colours: wantsColour(colour, host.env, true),
    theme: themeOf(host.env),
    keys: settings.keys(),
    marks: await readMarks(host, settings.server, id),
    stdin: host.stdin,
    stdout: host.stdout,
    process: host,
    signal: interruption.signal,
  });
  // a lost mark only costs the reviewer a second reading
  await saveMarks(host, settings.server, id, marks).catch(() => undefined);
  return changes;
}
