/** The two lines at the bottom: what has happened or is being typed, and the keys of the pane. */
import { keyCell, tableCell } from '../../client/cell.ts';
import { sanitize } from '../../client/sanitize.ts';
import type { SessionStatus } from '../../model/session.ts';
import { shortId } from '../../model/session.ts';
import type { Command, Effect } from '../keys.ts';
import type { Line } from '../line.ts';
import { span } from '../line.ts';
import type { Pane, Prompt, State, Subject } from '../state.ts';

const deeds = {
  propose: 'Proposing',
  approve: 'Approving',
  reject: 'Rejecting',
  reopen: 'Giving back',
} as const;

export function noticeLine(state: State): Line {
  const { prompt, notice, deed } = state;
  if (prompt !== null) return promptLine(state, prompt);
  if (state.saying !== null) return [span(' Saying it …', 'strong')];
  if (deed !== null) return [span(` ${deeds[deed.deed]} …`, 'strong')];
  const standing = standingWords(state).map((text) => span(` ! ${text}`, 'alarm'));
  if (notice === null) return standing;
  return [...standing, span(` ${sanitize(notice.text)}`, notice.alarm ? 'alarm' : 'accent')];
}

/** What holds until it changes, whatever keys are pressed. */
function standingWords({ offline, banner }: State): string[] {
  if (offline !== null)
    return [`Offline, trying again; this is what was there. ${sanitize(offline)}`];
  return banner === null ? [] : [banner];
}

function promptLine({ session }: State, prompt: Prompt): Line {
  const labels = {
    search: '/',
    goto: 'Go to table or row: ',
    confirm: `Type yes or ${shortId(session?.id ?? '')} to go on: `,
    reason:
      prompt.kind === 'reason' && prompt.deed === 'reopen'
        ? 'What is to change: '
        : 'Reason (may be empty): ',
    comment: `Comment on ${prompt.kind === 'comment' ? subjectOf(prompt.about) : ''}: `,
  };
  return [
    span(` ${labels[prompt.kind]}`, 'strong'),
    span(sanitize(prompt.text)),
    span(' ', 'chosen'),
  ];
}

function subjectOf(about: Subject): string {
  return about === null
    ? 'the session'
    : `${tableCell(about.table)} ${keyCell(about.rowId)}`.slice(0, 40);
}

/** What keys do, and what to call it in few words. */
type Hint = readonly [does: readonly (Command | Effect)[], text: string];

const hints: Readonly<Record<Pane, readonly Hint[]>> = {
  tables: [
    [['down', 'up'], 'table'],
    [['open'], 'rows'],
    [['nextPane'], 'pane'],
    [['comment'], 'comment'],
  ],
  rows: [
    [['down', 'up'], 'row'],
    [['open'], 'detail'],
    [['mark'], 'reviewed'],
    [['search'], 'search'],
    [['nextFilter'], 'filter'],
    [['nextPane'], 'pane'],
    [['comment'], 'comment'],
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
    [['back'], 'back'],
  ],
  comments: [
    [['down', 'up'], 'comment'],
    [['comment'], 'comment'],
    [['back'], 'back'],
  ],
};

/** What may be decided on the session as it is: shown where there is room for little else. */
const decisions: Readonly<Record<SessionStatus, readonly Hint[]>> = {
  active: [[['propose'], 'propose']],
  proposed: [
    [['approve'], 'approve'],
    [['reopen'], 'changes'],
    [['reject'], 'reject'],
  ],
  approved: [],
  rejected: [],
};

export function keysLine({ pane, prompt, help, zoomed, keymap, session }: State): Line {
  if (prompt !== null || help !== null) return [span(' enter go on · escape cancel', 'faint')];
  const everywhere: Hint[] = [
    [['help'], 'help'],
    [['quit'], 'quit'],
  ];
  const zoom: Hint[] = zoomed ? [[['zoom'], 'whole screen off']] : [];
  const deciding = session === null ? [] : decisions[session.status];
  const shown = [...everywhere, ...deciding, ...zoom, ...hints[pane]].map(
    ([does, text]) => `${does.map((name) => keymap.keyFor(name)).join('/')} ${text}`,
  );
  return [span(` ${shown.join(' · ')}`, 'faint')];
}
