/** The keys of the page, which follow the review in a terminal. */
/// <reference lib="dom" />
import { show } from './dialogs.ts';
import { h } from './dom.ts';
import type { SessionView } from './session-view.ts';

interface Key {
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: (view: SessionView) => void;
  /** Whether it does anything for the caller, in this state of the session; left out for always. */
  readonly isOffered?: (view: SessionView) => boolean;
}

const keys: readonly Key[] = [
  { keys: ['j', 'ArrowDown'], does: 'next row', run: ({ rows }) => rows.move(1) },
  { keys: ['k', 'ArrowUp'], does: 'row before', run: ({ rows }) => rows.move(-1) },
  { keys: ['PageDown'], does: 'next page', run: ({ rows }) => rows.go('next') },
  { keys: ['PageUp'], does: 'page before', run: ({ rows }) => rows.go('previous') },
  { keys: ['g'], does: 'first page', run: ({ rows }) => rows.go('first') },
  { keys: ['G'], does: 'last page', run: ({ rows }) => rows.go('last') },
  { keys: [']', 'J'], does: 'next table', run: ({ rows }) => rows.turnTable(1) },
  { keys: ['[', 'K'], does: 'table before', run: ({ rows }) => rows.turnTable(-1) },
  { keys: ['/'], does: 'search', run: ({ rows }) => rows.focusSearch() },
  { keys: ['f'], does: 'filter by kind', run: ({ rows }) => rows.nextFilter() },
  { keys: ['1'], does: 'all kinds', run: ({ rows }) => rows.filterBy(undefined) },
  { keys: ['2'], does: 'inserted rows', run: ({ rows }) => rows.filterBy('INSERT') },
  { keys: ['3'], does: 'updated rows', run: ({ rows }) => rows.filterBy('UPDATE') },
  { keys: ['4'], does: 'deleted rows', run: ({ rows }) => rows.filterBy('DELETE') },
  {
    ...{ keys: ['m'], does: 'mark the row for a part, or unmark it' },
    run: ({ rows }) => rows.toggleMark(),
    isOffered: (view) => view.marking.isPossible,
  },
  {
    ...{ keys: ['T'], does: 'mark the whole table for a part, or unmark it' },
    run: ({ rows }) => rows.toggleTable(),
    isOffered: (view) => view.marking.isPossible,
  },
  {
    ...{ keys: ['Escape'], does: 'close the row, then clear the marks' },
    run: (view) => {
      if (!view.rows.close()) view.clearMarks();
    },
  },
  { keys: ['u'], does: 'take the open row out', run: ({ rows }) => rows.takeOut() },
  { keys: ['R'], does: 'read again', run: (view) => void view.read() },
  { keys: ['q'], does: 'all sessions', run: () => location.assign('/review') },
  { keys: ['?'], does: 'this help', run: (view) => help(view) },
];

/** Listens for the keys, except while a field or a dialog has the focus. */
export function listen(view: SessionView): void {
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (isOthers(event)) return;
    if (isTextField(target)) {
      if (key === 'Escape') target.blur();
      return;
    }
    const action = view.actions().find((each) => each.key === key);
    const known = keys.find((each) => each.keys.includes(key));
    if (action === undefined && known === undefined) return;
    event.preventDefault();
    if (known) known.run(view);
    else if (action?.hindrance === null) action.run();
  });
}

/** Returns whether a key belongs to the browser or to an open dialog. */
const isOthers = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey || metaKey || altKey || document.querySelector('dialog[open]') !== null;

/** Returns whether keys are characters for the target. A checkbox takes the space only. */
function isTextField(target: EventTarget | null): target is HTMLElement {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target instanceof HTMLTextAreaElement;
}

/** Shows the keys, with those of the actions that the caller may take now. */
function help(view: SessionView): void {
  const known = keys.filter(({ isOffered }) => isOffered?.(view) ?? true);
  const actions = view.actions().map(({ key, label }) => ({
    keys: [key],
    does: label.replace(/…$/, '').toLowerCase(),
  }));
  const lines = [...known, ...actions].flatMap(({ keys: names, does }) => [
    h('dt', {}, ...names.flatMap((name) => [h('kbd', {}, name), ' '])),
    h('dd', {}, does),
  ]);
  show('Keys', h('dl', { class: 'keys' }, ...lines));
}
