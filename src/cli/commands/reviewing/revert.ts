/** `stage revert`: stages the inverse of an approved session in a new one. */
import { conflictPlace } from '../../../client/place-words.ts';
import { sanitize } from '../../../client/sanitize.ts';
import { defineServerCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { withProgress } from '../../progress.ts';

interface Options {
  readonly skipChanged?: true;
}

export const revertCommand = defineServerCommand<Options>({
  description:
    'Stage the exact inverse of an approved session in a new one, which is reviewed and approved like any other. ' +
    'Ends with exit code 3 and makes no session when rows have changed since.',
  arguments: [['<session>', 'id of an approved session']],
  options: [['--skip-changed', 'leave out rows that have changed since, and name them']],
  examples: ['stage revert sess_2f0c...', 'stage revert sess_2f0c... --skip-changed'],
  work: async ({ context, connection }, options, id) => {
    const { out } = context;
    const { body, value } = await withProgress(
      out,
      () => 'Staging the inverse',
      () => connection.api.revert(id ?? '', options.skipChanged === true),
    );
    const { session, skipped } = value;
    await reportOutcome(
      out,
      { body, value: session },
      `Read and propose it: stage diff ${session.id}, stage propose ${session.id}`,
    );
    const left = [...new Set(skipped.map(conflictPlace))];
    for (const place of left)
      await out.note(`left out, because it has changed since: ${sanitize(place)}`);
  },
});
