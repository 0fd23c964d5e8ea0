/** Guards of the review in a terminal: nothing is changed that nobody has seen, or was not asked about. */
import type { Guard } from './guard.ts';

export const terminalGuards: readonly Guard[] = [
  {
    name: 'the review settles what it shows',
    file: 'src/tui/doer.ts',
    text: "productionCurrent: productionCurrent ?? new JsonText('null'),",
    without: '',
    tests: ['e2e/edit-in-interface'],
  },
  {
    name: 'the review settles one conflict at a time',
    file: 'src/tui/doing.ts',
    text: 'if (state.edit !== null) return state;',
    without: '',
    tests: ['tui/edits'],
  },
  {
    name: 'the review takes out the chosen row alone',
    file: 'src/tui/asking.ts',
    text: 'table.key.length === 0 ? null : change.rowId',
    without: 'null',
    tests: ['tui/edits'],
  },
  {
    name: 'the review asks before it takes out what hangs on a row',
    file: 'src/tui/prompts.ts',
    text: 'withDependents: dependents.length > 0',
    without: 'withDependents: true',
    tests: ['tui/edits'],
  },
  {
    name: 'a rehearsal tells of its own diff alone',
    file: 'src/tui/views/effects.ts',
    text: 'return current !== null && current !== digest;',
    without: 'return false;',
    tests: ['tui/effects'],
  },
  {
    name: 'the digest in the review is that of its round',
    file: 'src/tui/state.ts',
    text: "status === 'active' ? round + 1 : round",
    without: '0',
    tests: ['tui/discussion'],
  },
  {
    name: 'what others stage is news in the review',
    file: 'src/tui/arrivals.ts',
    text: 'editName(session) === edited',
    without: 'edited !== null',
    tests: ['tui/edits'],
  },
];
