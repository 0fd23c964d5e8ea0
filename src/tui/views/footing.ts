/** The two lines at the bottom: what has happened or is being typed, and the keys of the pane. */
import { sanitize } from '../../client/sanitize.ts';
import { shortId } from '../../model/session.ts';
import type { Command } from '../commands.ts';
import type { Effect } from '../keys.ts';
import type { Line } from '../line.ts';
import { span } from '../line.ts';
import type { Pane, Prompt, State } from '../state.ts';

const deeds = { propose: 'Proposing', approve: 'Approving', reject: 'Rejecting' } as const;

export function noticeLine(state: State): Line {
  const { prompt, notice, banner, deed } = state;
  if (prompt !== null) return promptLine(state, prompt);
  if (deed !== null) return [span(` ${deeds[deed.deed]} …`, 'strong')];
  const standing = banner === null ? [] : [span(` ! ${banner}`, 'alarm')];
  if (notice === null) return standing;
  return [...standing, span(` ${sanitize(notice.text)}`, notice.alarm ? 'alarm' : 'accent')];
}

function promptLine({ session }: State, prompt: Prompt): Line {
  const labels = {
    search: '/',
    goto: 'Go to table or row: ',
    confirm: `Type yes or ${shortId(session?.id ?? '')} to go on: `,
    reason: 'Reason (may be empty): ',
  };
  return [
    span(` ${labels[prompt.kind]}`, 'strong'),
    span(sanitize(prompt.text)),
    span(' ', 'chosen'),
  ];
}

/** What keys do, and what to call it in few words. */
type Hint = readonly [does: readonly (Command | Effect)[], text: string];

const hints: Readonly<Record<Pane, readonly Hint[]>> = {
  tables: [
    [['down', 'up'], 'table'],
    [['open'], 'rows'],
    [['nextPane'], 'pane'],
    [['propose'], 'propose'],
    [['approve'], 'approve'],
    [['reject'], 'reject'],
  ],
  rows: [
    [['down', 'up'], 'row'],
    [['open'], 'detail'],
    [['mark'], 'reviewed'],
    [['search'], 'search'],
    [['nextFilter'], 'filter'],
    [['nextPane'], 'pane'],
    [['propose'], 'propose'],
    [['approve'], 'approve'],
  ],
  detail: [
    [['down', 'up'], 'scroll'],
    [['left', 'right'], 'row'],
    [['wrap'], 'wrap'],
    [['changedOnly'], 'changed only'],
    [['types'], 'types'],
    [['back'], 'back'],
  ],
  log: [
    [['down', 'up'], 'statement'],
    [['nextPane'], 'pane'],
    [['back'], 'back'],
  ],
  conflicts: [
    [['down', 'up'], 'conflict'],
    [['open'], 'its table'],
    [['refresh'], 'look again'],
    [['reject'], 'reject'],
    [['back'], 'back'],
  ],
};

export function keysLine({ pane, prompt, help, zoomed, keymap }: State): Line {
  if (prompt !== null || help !== null) return [span(' enter go on · escape cancel', 'faint')];
  const everywhere: Hint[] = [
    [['help'], 'help'],
    [['quit'], 'quit'],
  ];
  const zoom: Hint[] = zoomed ? [[['zoom'], 'whole screen off']] : [];
  const shown = [...everywhere, ...zoom, ...hints[pane]].map(
    ([does, text]) => `${does.map((name) => keymap.keyFor(name)).join('/')} ${text}`,
  );
  return [span(` ${shown.join(' · ')}`, 'faint')];
}
