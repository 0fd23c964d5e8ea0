/** `stage token revoke`: removes tokens from the token file. */
import { StageError } from '../../../errors.ts';
import type { Token } from '../../../model/access.ts';
import { tokenId } from '../../../model/access.ts';
import { stringifyJson } from '../../../model/json.ts';
import { defineCommand } from '../../define-command.ts';
import type { TokenFileOption } from '../../token-words.ts';
import { tokenBody, tokenFileOf } from '../../token-words.ts';

interface Options extends TokenFileOption {
  readonly all?: true;
}

export const tokenRevokeCommand = defineCommand<Options>({
  description:
    'Take a token out of the token file. The daemon accepts it for at most two more seconds, and ends its waiting requests. Connections ' +
    'to the proxy need no token: they stay. The last token cannot be taken out: make another one first.',
  arguments: [['<token>', 'name of its owner, or its id']],
  options: [
    ['--all', 'all tokens of that name'],
    ['--token-file <file>', 'the token file of the daemon'],
  ],
  examples: ['stage token revoke 5f2c90d1a7b3', 'stage token revoke shop-bot --all'],
  work: async (context, options, named = '') => {
    const { changeTokenFile } = await import('../../../config/token-file.ts');
    const { out } = context;
    let revoked: Token[] = [];
    changeTokenFile(await tokenFileOf(context, options), (lines) => {
      const tokens = lines.flatMap(({ token }) => token ?? []);
      revoked = chosen(tokens, named, options);
      if (revoked.length === tokens.length) throw lastOne();
      const isRetained = (token: Token | null) => token === null || !revoked.includes(token);
      return lines.filter(({ token }) => isRetained(token)).map(({ text }) => text);
    });
    if (out.json) await out.document(stringifyJson({ tokens: revoked.map(tokenBody) }));
    else await out.lines(revoked.map((token) => `${tokenId(token)}\t${token.name}`));
  },
});

/** Returns the tokens to revoke. @throws StageError `not_found` for none, `usage` for several without --all */
function chosen(tokens: readonly Token[], named: string, { all }: Options): Token[] {
  const meant = tokens.filter((token) => token.name === named || tokenId(token) === named);
  if (meant.length === 0) {
    throw new StageError('not_found', 'there is no such token', {
      hint: 'See `stage token list`.',
    });
  }
  if (meant.length === 1 || all) return meant;
  throw new StageError('usage', `there are ${meant.length} tokens of that name`, {
    hint: `Name one by its id (${meant.map(tokenId).join(', ')}), or give --all.`,
  });
}

function lastOne(): StageError {
  return new StageError(
    'usage',
    'no token would be left, and the daemon keeps the former ones then',
    {
      hint: 'Make another one first: stage token new.',
    },
  );
}
