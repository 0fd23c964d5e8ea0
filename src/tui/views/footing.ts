/** The two lines at the bottom: what has happened or is being typed, and the keys of the pane. */
import { sanitize } from '../../client/sanitize.ts';
import type { Line } from '../line.ts';
import { span } from '../line.ts';
import { shortId } from '../prompts.ts';
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

const hints: Readonly<Record<Pane, string>> = {
  tables: 'j/k table · enter rows · tab pane · P propose · A approve · X reject',
  rows: 'j/k row · enter detail · space reviewed · / search · f filter · tab pane · P propose · A approve',
  detail: 'j/k scroll · h/l row · w wrap · c changed only · t types · esc back',
  log: 'j/k statement · tab pane · esc back',
  conflicts: 'j/k conflict · enter its table · R look again · X reject · esc back',
};

export function keysLine({ pane, prompt, help, zoomed }: State): Line {
  if (prompt !== null || help !== null) return [span(' enter go on · esc cancel', 'faint')];
  const zoom = zoomed ? '+ whole screen off · ' : '';
  return [span(` ? help · q quit · ${zoom}${hints[pane]}`, 'faint')];
}
