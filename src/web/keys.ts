/** The keys of the page, which follow the review in a terminal. */
/// <reference lib="dom" />
import { show } from './dialogs.ts';
import { h } from './dom.ts';
import type { SessionView } from './session-view.ts';

interface Key {
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: (view: SessionView) => void;
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
  { keys: ['Escape'], does: 'close the row', run: ({ rows }) => rows.close() },
  { keys: ['u'], does: 'take the open row out', run: ({ rows }) => rows.takeOut() },
  { keys: ['R'], does: 'read again', run: (view) => void view.read() },
  { keys: ['q'], does: 'all sessions', run: () => location.assign('/review') },
  { keys: ['?'], does: 'this help', run: () => help() },
];

/** Listens for the keys, except while a field or a dialog has the focus. */
export function listen(view: SessionView): void {
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (isOthers(event)) return;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
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

/** Whether a key belongs to the browser or to an open dialog. */
const isOthers = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey || metaKey || altKey || document.querySelector('dialog[open]') !== null;

function help(): void {
  const lines = keys.flatMap(({ keys: names, does }) => [
    h('dt', {}, ...names.flatMap((name) => [h('kbd', {}, name), ' '])),
    h('dd', {}, does),
  ]);
  const actions =
    'A approve, X reject, C request changes, e rehearse, M comment, P propose, U take back: the buttons at the bottom.';
  show('Keys', h('dl', { class: 'keys' }, ...lines), h('p', {}, actions));
}
