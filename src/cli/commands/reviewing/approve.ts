/** `stage approve`: applies a proposed session to production. */

import {
  differenceLines,
  differencesInWords,
  readDifferences,
} from '../../../client/differences.ts';
import { approvalsInWords, readApprovals } from '../../../client/policy.ts';
import { sanitize } from '../../../client/sanitize.ts';
import { JsonText } from '../../../model/json.ts';
import type { Approvals } from '../../../model/policy.ts';
import type { PartOptions } from '../../arguments/only.ts';
import { collected, partOf } from '../../arguments/only.ts';
import type { Connection, Context } from '../../context.ts';
import { approverOf } from '../../context.ts';
import { defineSessionCommand } from '../../define-command.ts';
import type { Output } from '../../output/output.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { withProgress } from '../../progress.ts';
import { agree } from '../../review.ts';

const applied = 'The rows are in production; `stage audit list` shows them.';
const recorded = 'Your approval is recorded. Nothing is in production before others agree, too.';

interface Options extends PartOptions {
  readonly digest?: string;
  readonly by?: string;
  readonly at?: string;
  readonly breakGlass?: string;
  readonly yes?: true;
}

export const approveCommand = defineSessionCommand<Options>({
  description:
    'Apply everything a proposed session staged to production, in one transaction or not at all. ' +
    'Asks in a terminal, and approves exactly the changes it asked about; elsewhere it needs --yes. ' +
    'Where the policy demands that others agree, too, it records your approval, reports who is missing, and exits with 8.',
  options: [
    ['--digest <digest>', 'approve only if the diff has this digest'],
    ['--only <rows>', 'apply only these rows: orders, products:1,3; may be repeated', collected],
    ['--with-ties', 'include rows that are tied to the chosen ones'],
    [
      '--by <name>',
      'who approves, for the audit (default: the name of your token, else of your account)',
    ],
    [
      '--at <time>',
      'apply it then: 2026-01-31T02:00:00Z, or window: as soon as the windows of the policy are open',
    ],
    ['--break-glass <reason>', 'go past rules of the policy that name you; others review it later'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: [
    'stage approve',
    'stage approve sess_2f0c... --yes --by ada@example.org',
    'stage approve --yes --digest "$(stage diff --json | jq -r .digest)"',
    "stage approve --only orders --only 'products:1,3'",
    'stage approve --at 2026-01-31T02:00:00Z',
    'stage approve --at window',
    'stage approve --break-glass "orders cannot be paid"',
  ],
  states: ['proposed', 'active'],
  work: async ({ context, connection, id }, options) => approve(context, connection, id, options),
});

/** Applies the session, or the chosen part, after the confirmation. Returns the exit code. */
async function approve(
  context: Context,
  connection: Connection,
  id: string,
  options: Options,
): Promise<number> {
  const part = partOf(options);
  const { agreed, digest, size } = await agree(context, connection, id, {
    action: actionOf(options, part !== undefined),
    yes: options.yes,
  });
  if (!agreed) return 1;
  const approval = {
    approvedBy: options.by ?? approverOf(connection),
    digest: options.digest ?? digest ?? undefined,
    part,
    at: options.at,
    breakGlass: options.breakGlass,
  };
  const reply = await withProgress(
    context.out,
    () => (options.at ? `Approving ${size}` : `Applying ${part ? 'a part' : size} to production`),
    () => connection.api.approve(id, approval),
  );
  const { remaining, applyAt } = reply.value;
  const rest = remaining === null ? '' : ` The rest is in ${remaining}, which is active.`;
  const votes = readApprovals(new JsonText(reply.body));
  const done = applyAt === null ? `${applied}${rest}` : laterInWords(applyAt);
  await reportOutcome(context.out, reply, votes === null ? done : recorded);
  if (votes !== null) return showVotes(context.out, votes);
  await reportDifferences(context.out, new JsonText(reply.body));
  return 0;
}

/** Returns the question before an approval: it states when, and whether that goes past the policy. */
function actionOf({ at, breakGlass }: Options, isPart: boolean): string {
  if (isPart) return 'Apply a part of that to production';
  if (at === 'window') return 'Apply to production as soon as the windows of the policy are open';
  if (at !== undefined) return `Apply to production at ${sanitize(at)}`;
  return breakGlass === undefined ? 'Apply to production' : 'Apply to production past the policy';
}

const laterInWords = (time: string) =>
  `It is applied at ${time}, unless it is rejected or reopened before, or production has changed by then.`;

/** Shows the votes, and who is missing. Returns the exit code: the session still waits. */
async function showVotes(out: Output, votes: Approvals): Promise<number> {
  if (!out.json) await out.line(approvalsInWords(votes));
  return stillPending;
}

/** The exit code of a session that waits for a decision, as that of `stage wait`. */
const stillPending = 8;

/** Reports rows that landed other than staged. The JSON of the response has them, too. */
async function reportDifferences(out: Output, body: JsonText): Promise<void> {
  const differences = readDifferences(body);
  if (differences === null || out.json) return;
  await out.note(`production's triggers set ${differencesInWords(differences)}:`);
  for (const text of differenceLines(differences, out.paintNote.signs)) await out.note(text);
}
