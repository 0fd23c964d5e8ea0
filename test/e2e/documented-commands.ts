/** The documents' statements about commands, in the order of one story: each with the words of its page, and a check that they hold. */

export interface CommandStatement {
  /** The page of docs/. */
  readonly page: string;
  /** Words of the page. */
  readonly says: string;
  /** `$S` stands for the session, `$R` for the one that the line before has named. */
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** Statements that run first, in the session and on production. */
  readonly staged?: string;
  readonly production?: string;
}

type More = Omit<CommandStatement, 'page' | 'says' | 'args' | 'code'>;

const of =
  (page: string) =>
  (says: string, line: string, code: number, more: More = {}): CommandStatement => ({
    page,
    says,
    args: [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word),
    code,
    ...more,
  });
const commands = of('commands');
const review = of('review');
const resolve = of('resolve');
const unstage = of('unstage');
const revert = of('revert');
const rehearse = of('rehearse');
const configuration = of('configuration');
const works = of('works-with');

const nobody = 'sess_00000000000000000000000000000000';

export const commandStatements: readonly CommandStatement[] = [
  commands('5   no such session or audit entry', `diff ${nobody}`, 5),
  commands(
    '7   the daemon or its upstream database cannot be reached',
    'status --server http://127.0.0.1:1',
    7,
  ),
  commands('64   wrong usage or configuration', 'diff --nonsense', 64),
  commands('Every command has `--help` with examples', 'unstage --help', 0, {
    stdout: /stage unstage products 3/,
  }),
  commands('0   done, also when there was nothing to show', 'diff $S', 0, { stdout: /No changes/ }),
  commands('2   only with `stage diff --exit-code`: there are changes', 'diff $S --exit-code', 2, {
    staged: `UPDATE item SET name = '=1+1', qty = 200 WHERE id = 1; INSERT INTO item VALUES (40, 'new'); DELETE FROM item WHERE id = 20`,
  }),
  review('A change is marked `+ ~ -`, a cell `before → after`', 'diff $S', 0, {
    stdout: /~ 1 .*qty: 1 → 200\n +\+ 40 .*\n +- 20 /,
  }),
  commands(
    'for spreadsheets: values that they would take for a formula begin with an apostrophe',
    'diff $S -o csv',
    0,
    { stdout: /'=1\+1/ },
  ),
  commands(
    'diffs only: one file without scripts, for a mail or an artifact',
    'diff $S -o html',
    0,
    { stdout: /^<!DOCTYPE html>(?![\s\S]*<script)/ },
  ),
  commands(
    'of diffs, a script of the steps, in order, to read or to run on a copy',
    'diff $S -o sql',
    0,
    { stdout: /UPDATE[\s\S]*INSERT[\s\S]*DELETE/ },
  ),
  commands(
    'for comments: nothing in it becomes a link, a mention or HTML',
    'diff $S -o markdown',
    0,
    { stdout: /<summary>/ },
  ),
  commands(
    'Conditions of `stage diff --where` compare columns with numbers and texts',
    'diff $S --where "from_qty = 1 AND to_qty > 100" -o jsonl',
    0,
    { stdout: /^\{[^\n]*"row_id": ?1[,}][^\n]*\n\{"end":true,"changes":1,[^\n]*\n$/ },
  ),
  commands('lists have one line an item, separated by tabs', 'session list', 0, {
    stdout: /^sess_[0-9a-f]{32}\t/,
  }),
  commands('one JSON object a line', 'log $S -o jsonl', 0, { stdout: /^(?:\{.*\}\n){3}/ }),
  commands(
    'one document, as REST answers it; --json is short for it',
    'session show $S --json',
    0,
    { stdout: /"session_id": ?"sess_/ },
  ),
  commands('and gives errors as JSON too', `session show ${nobody} --json`, 5, {
    stderr: /^\{"error": ?"session_not_found"/,
  }),
  review('`stage diff --why` names the statements that made each change', 'diff $S --why', 0, {
    stdout: /UPDATE item SET name/,
  }),
  review(
    'Where a foreign key carried a statement to the row, it names that key',
    'diff $S --why --table part_of',
    0,
    { stdout: /part_of_item_fkey/ },
  ),
  review(
    '`stage diff --steps` shows every step in the order in which approval applies them',
    'diff $S --steps',
    0,
    { stdout: /item[\s\S]*part_of/ },
  ),
  works('prints it in the form that a program wants', 'url $S --format keywords', 0, {
    stdout: /options='-c service_session=sess_/,
  }),
  works('`--format url`, `keywords`, `env`, `jdbc` or', 'url $S --format jdbc', 0, {
    stdout: /^jdbc:postgresql:/,
  }),
  works('`--format url`, `keywords`, `env`, `jdbc` or', 'url $S --format env', 0, {
    stdout: /PGOPTIONS=/,
  }),
  rehearse('exit code 0, or 3 when something stands in the way', 'check $S --rehearse', 0, {
    stdout: /would land/,
  }),
  unstage('exit code 3 when other staged rows depend on it', 'unstage item 40 --session $S', 3, {
    staged: `INSERT INTO part_of VALUES (50, 40, 'of the new one')`,
  }),
  unstage('takes those out, too', 'unstage item 40 --with-dependents --session $S', 0),
  unstage(
    'these rows were never staged, as far as anybody can see',
    'diff $S --table item -o jsonl',
    0,
    { stdout: /^(?!.*"new")/s },
  ),
  review('Comments are possible in every state', 'comment $S -m "why is this price lower?"', 0),
  review('`stage comments "$S"`'.replaceAll('`', ''), 'comments $S', 0, {
    stdout: /why is this price lower/,
  }),
  review(
    'A production row that the session touched is no longer what the session first saw',
    'check $S',
    3,
    { production: 'UPDATE item SET qty = 5 WHERE id = 1', stdout: /qty/ },
  ),
  commands('Reopen a proposed session first: stage reopen', 'propose $S -m "look"', 0),
  resolve('The session has to be `active`', 'resolve --mine --session $S', 6),
  commands(
    '3   conflict with production, production refused a row, or the diff is not the one that was reviewed; nothing was applied',
    'approve $S --yes',
    3,
  ),
  commands('8   still pending when a wait ran out', 'wait $S --for decided --timeout 1s', 8),
  review(
    "A reviewer, or the session's author, reopens a proposed session with a message",
    'reopen $S -m "only the mugs, please"',
    0,
  ),
  resolve(
    'my price stands; everything else is production',
    'resolve item 1 --mine --session $S',
    0,
  ),
  resolve('A settled conflict is gone', 'check $S', 0),
  commands('6   not possible in the session', 'approve $S --yes', 6),
  review('its next proposal is a new round', 'propose $S', 0),
  review(
    'fails when the diff is not the reviewed one',
    `approve $S --by ann --digest sha256:${'0'.repeat(64)} --yes`,
    3,
  ),
  commands('64   wrong usage or configuration', 'approve $S', 64, { stderr: /--yes/ }),
  review(
    'Approval applies everything in one transaction, or nothing',
    'approve $S --by ann --yes',
    0,
  ),
  review('The audit has one entry for each applied row change', 'audit list', 0, {
    stdout: /^(?:.*\t.*\n){5}$/,
  }),
  review('`stage audit verify` names the first bad entry', 'audit verify', 0, {
    stdout: /[0-9a-f]{64}/,
  }),
  commands('6   not possible in the session', 'reject $S --yes', 6),
  revert('a new session, with the inverse staged in it', 'revert $S', 0),
  revert('it is reviewed and approved like any other', 'diff $R -o jsonl', 0, {
    stdout: /"type": ?"INSERT"[^\n]*"row_id": ?20[,}]/,
  }),
  configuration(
    '`stage serve --print-config` shows each value and its origin',
    'serve --print-config --port 1234',
    0,
    { stdout: /port.*1234.*--port/ },
  ),
  configuration('An unknown key is an error', 'serve --print-config --config unknown.yaml', 64, {
    stderr: /prot[\s\S]*port/,
  }),
  commands('explain the topics at the end of this page', 'help exit-codes', 0, {
    stdout: /still pending when a wait ran out/,
  }),
];
