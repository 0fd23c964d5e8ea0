/** The guards of the review in a terminal: it changes nothing that the reviewer has not seen, or not confirmed. */
import type { Guard } from './guard.ts';

export const terminalGuards: readonly Guard[] = [
  {
    name: 'the review settles the conflict that it shows',
    without: '',
    tests: ['e2e/edit-in-interface'],
  },
  {
    name: 'the review settles one conflict at a time',
    without: '',
    tests: ['tui/edits'],
  },
  {
    name: 'the review takes out the chosen row alone',
    without: 'const rowId = null;',
    tests: ['tui/edits'],
  },
  {
    name: 'the review asks before it unstages dependent rows',
    without: 'return { ...state, edit: { ...edit, withDependents: true } };',
    tests: ['tui/edits'],
  },
  {
    name: 'a rehearsal is shown with its own diff only',
    without: 'return false;',
    tests: ['tui/effects'],
  },
  {
    name: 'the digest in the review is that of its round',
    without: `return \`\${outline?.revision ?? ''} \${0}\`;`,
    tests: ['tui/discussion'],
  },
  {
    name: 'the brief in the review is that of its diff',
    without: 'return meaning;',
    tests: ['tui/brief'],
  },
  {
    name: 'a diff is shown without a brief that cannot be read',
    without: 'export const isLeftOut = (code: string): boolean => code === "";',
    tests: ['rest/card'],
  },
  {
    name: 'the page settles the conflict that it shows',
    without: "const seen = '';",
    tests: ['web/review-page-edits'],
  },
  {
    name: 'the page takes out the chosen row alone',
    without: 'if (takeOut === null || outline === null) return null;',
    tests: ['web/review-page-edits'],
  },
  {
    name: 'rows that others stage are news in the review',
    without: 'const isOwn = session !== null && edited !== null;',
    tests: ['tui/edits'],
  },
  {
    name: 'a read from before a decision does not undo what the review shows',
    without: 'void signal;',
    tests: ['e2e/late-answers'],
  },
  {
    name: 'a comparison from before a resolution does not bring its conflict back',
    without: 'void signal;',
    tests: ['e2e/late-answers'],
  },
  {
    name: 'the review marks the chosen row alone',
    without: 'if (table.key.length < 0)',
    tests: ['tui/parts'],
  },
  {
    name: 'the review approves the marked rows alone',
    without: 'const plan = isPart ? {} : {};',
    tests: ['tui/parts'],
  },
  {
    name: 'the review asks before it includes rows that are tied to a part',
    without: 'const tied = { withTies: ties === undefined || ties.length > 0 };',
    tests: ['tui/parts'],
  },
  {
    name: 'rows are marked in the diff that is shown',
    without: '...next,',
    tests: ['tui/parts'],
  },
  {
    name: 'the page marks the chosen row alone',
    without: 'if (!marking().isPossible) return null;',
    tests: ['web/review-page-parts'],
  },
  {
    name: 'rows are marked on the page in the diff that is shown',
    without: 'return isOpen(session) ? before.part : noMarks;',
    tests: ['web/review-page-parts'],
  },
  {
    name: 'the page approves the marked rows alone',
    without: 'const rows = [...known.part.keys()].map((table) => ({ table }));',
    tests: ['web/review-page-parts'],
  },
  {
    name: 'the page asks before it includes rows that are tied to a part',
    without: 'await send(true);',
    tests: ['web/review-page-parts'],
  },
  {
    name: 'the review offers a way past the policy to those alone whom a rule names',
    without: 'if (people.length > 0) return null;',
    tests: ['tui/policy'],
  },
];
