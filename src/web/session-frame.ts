/** The frame of a session's view: banner, tabs, marks and actions. */
/// <reference lib="dom" />
import { markedCount, marksInWords } from '../client/part-marks.ts';
import type { Action } from './decide.ts';
import type { Child } from './dom.ts';
import { button, h } from './dom.ts';
import type { Known } from './known.ts';

const paneNames = ['Rows', 'Conflicts', 'Comments', 'Statements', 'Effects'] as const;
export type PaneName = (typeof paneNames)[number];

interface News {
  /** The session has changed since it was loaded, or an error. */
  readonly notice: string | null;
  /** The outcome of the caller's last action. */
  readonly said: readonly Child[] | null;
  readonly conflicts: number | null;
}

/** Returns the most important news, if any. */
export function bannerOf(
  { notice, said, conflicts }: News,
  readAgain: () => void,
  showConflicts: () => void,
): Child {
  const again = button('Read it again', readAgain);
  if (notice !== null) return h('p', { class: 'banner' }, `${notice} `, again);
  if (said !== null) return h('p', { class: 'banner' }, ...said);
  if (!conflicts) return null;
  const counted = `${conflicts} ${conflicts === 1 ? 'conflict' : 'conflicts'} with production: approval would be refused. `;
  return h('p', { class: 'banner alarm' }, counted, button('See them', showConflicts));
}

/** Returns the tabs. */
export function tabsOf(
  { conflicts = null, comments = [] }: Partial<Known>,
  chosen: PaneName,
  show: (name: PaneName) => void,
): Child[] {
  const counts: Partial<Record<PaneName, number | null>> = {
    Conflicts: conflicts,
    Comments: comments.length,
  };
  return paneNames.map((name) =>
    button(counts[name] ? `${name} ${counts[name]}` : name, () => show(name), {
      role: 'tab',
      'aria-selected': String(name === chosen),
    }),
  );
}

/** Returns the marks of a part, with a button that clears them, and the actions. */
export function footOf(
  { part, outline }: Known,
  actions: readonly Action[],
  clear: () => void,
): Child[] {
  const count = markedCount(part, outline?.tables ?? []).toLocaleString('en-US');
  const marks =
    part.size === 0
      ? null
      : h(
          'p',
          { class: 'marked', role: 'status' },
          `Marked: ${marksInWords(part)}; ${count} in total. `,
          button('Clear', clear, { title: 'key Escape' }),
        );
  const buttons = actions.map(({ name, label, key, look, hindrance, run }) => {
    const made = button(label, run, {
      class: look,
      'data-action': name,
      title: hindrance ?? `key ${key}`,
    });
    made.disabled = hindrance !== null;
    return made;
  });
  if (marks === null && buttons.length === 0) return [];
  return [marks, h('div', { class: 'buttons' }, ...buttons)];
}
