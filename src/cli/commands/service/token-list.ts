/** `stage token list`: lists the tokens of the token file. */
import { stringifyJson } from '../../../model/json.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';
import type { TokenFileOption } from '../../token-words.ts';
import { tokenBody, tokenColumns, tokenFileOf, tokenRow } from '../../token-words.ts';

export const configureTokenList: ConfigureCommand = (command, run) => {
  command
    .description(
      'List the tokens of the token file. The file holds hashes, so the tokens themselves are not shown; the id is the beginning of the hash. ' +
        'When a token was last used is not recorded.',
    )
    .option('--token-file <file>', 'the token file of the daemon')
    .addHelpText('before', examples(['stage token list', 'stage token list --json']))
    .action(
      run<TokenFileOption>(async (context, options) => {
        const { readTokenLines } = await import('../../../config/token-file.ts');
        const lines = readTokenLines(await tokenFileOf(context, options));
        const tokens = lines.flatMap(({ token }) => token ?? []);
        const { out } = context;
        if (out.json) await out.document(stringifyJson({ tokens: tokens.map(tokenBody) }));
        else if (tokens.length > 0) await out.table(tokenColumns, tokens.map(tokenRow));
        else await out.remark('There is no token.');
      }),
    );
};
