/** `stage revert`: stages the inverse of an approved session in a new one. */
import { conflictPlace } from '../../../client/place-words.ts';
import { sanitize } from '../../../client/sanitize.ts';
import { withServer } from '../../context.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { withProgress } from '../../progress.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

interface Options {
  readonly skipChanged?: true;
}

export const configureRevert: ConfigureCommand = (command, run) => {
  command
    .description(
      'Stage the exact inverse of an approved session in a new one, which is reviewed and approved like any other. ' +
        'Ends with exit code 3 and makes no session when rows have changed since.',
    )
    .argument('<session>', 'id of an approved session')
    .option('--skip-changed', 'leave out rows that have changed since, and name them')
    .addHelpText(
      'before',
      examples(['stage revert sess_2f0c...', 'stage revert sess_2f0c... --skip-changed']),
    )
    .action(
      run<Options>(async (context, options, id) =>
        withServer(context, async (connection) => {
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
            `Look at it and propose it: stage diff ${session.id}, stage propose ${session.id}`,
          );
          const left = [...new Set(skipped.map(conflictPlace))];
          for (const place of left)
            await out.note(`left out, for it has changed since: ${sanitize(place)}`);
        }),
      ),
    );
};
