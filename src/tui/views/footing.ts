/** The line at the bottom: the keys of the pane. */
import type { SessionStatus } from '../../model/session.ts';
import type { Command, Effect } from '../keys.ts';
import { isOffered } from '../state/permissions.ts';
import type { Pane, State } from '../state/state.ts';
import { currentPolicy } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';

/** Commands, and their short name. */
type Hint = readonly [does: readonly (Command | Effect)[], text: string];

const hints: Readonly<Record<Pane, readonly Hint[]>> = {
  tables: [
    [['down', 'up'], 'table'],
    [['open'], 'rows'],
    [['markPart'], 'mark a part'],
    [['nextPane'], 'pane'],
    [['comment'], 'comment'],
  ],
  rows: [
    [['down', 'up'], 'row'],
    [['open'], 'detail'],
    [['mark'], 'reviewed'],
    [['markPart', 'markTable'], 'mark a part'],
    [['search'], 'search'],
    [['sort'], 'sort'],
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
  effects: [
    [['down', 'up'], 'scroll'],
    [['nextPane'], 'pane'],
    [['back'], 'back'],
  ],
};

/** The edits that are possible in an active session. */
const edits: Partial<Readonly<Record<Pane, readonly Hint[]>>> = {
  rows: [[['unstage'], 'take out']],
  detail: [[['unstage'], 'take out']],
  conflicts: [
    [['mine'], 'mine stands'],
    [['theirs'], "production's"],
  ],
};

/** The decisions that are possible in each state of the session. They come early, so that a narrow screen shows them, too. */
const decisions: Readonly<Record<SessionStatus, readonly Hint[]>> = {
  active: [
    [['propose'], 'propose'],
    [['rehearse'], 'rehearse'],
  ],
  proposed: [
    [['approve'], 'approve'],
    [['reopen'], 'changes'],
    [['reject'], 'reject'],
    [['rehearse'], 'rehearse'],
  ],
  approved: [[['revert'], 'take back']],
  rejected: [],
};

/** Draws the keys of the pane that the caller may use. */
export function keysLine(state: State): Line {
  const { pane, prompt, help, zoomed, keymap, session } = state;
  if (prompt !== null || help !== null) return [span(' enter go on · escape cancel', 'faint')];
  const everywhere: Hint[] = [
    [['help'], 'help'],
    [['quit'], 'quit'],
  ];
  const zoom: Hint[] = zoomed ? [[['zoom'], 'whole screen off']] : [];
  const late: Hint[] = session?.reviewDue ? [[['review'], 'review it']] : [];
  const splitting: Hint[] =
    session?.status === 'active' && state.part.size > 0 ? [[['split'], 'split off']] : [];
  const deciding = session === null ? [] : [...late, ...splitting, ...decisions[session.status]];
  const editing = session?.status === 'active' ? (edits[pane] ?? []) : [];
  const past: Hint[] = currentPolicy(state)?.breakGlass
    ? [[['breakGlass'], 'past the policy']]
    : [];
  const later: Hint[] = session?.status === 'proposed' ? [[['schedule'], 'later'], ...past] : [];
  const shown = [...everywhere, ...deciding, ...editing, ...zoom, ...hints[pane], ...later]
    .filter(([does]) => does.every((name) => isOffered(state, name)))
    .map(([does, text]) => `${does.map((name) => keymap.keyFor(name)).join('/')} ${text}`);
  return [span(` ${shown.join(' · ')}`, 'faint')];
}
