/** `stage token list`: lists the tokens of the token file, with their last use. */
import { sanitize } from '../../../client/sanitize.ts';
import { StageError } from '../../../errors.ts';
import { tokenId } from '../../../model/access.ts';
import { stringifyJson } from '../../../model/json.ts';
import type { Context } from '../../context.ts';
import { withServer } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import type { TokenFileOption } from '../../token-words.ts';
import { tokenBody, tokenColumns, tokenFileOf, tokenRow } from '../../token-words.ts';

/** By the ids of tokens; null for a token that was never used. */
type LastUses = ReadonlyMap<string, string | null>;

export const tokenListCommand = defineCommand<TokenFileOption>({
  description:
    'List the tokens of the token file. The file holds hashes, so the tokens themselves are not shown; the id is the beginning of the hash. ' +
    'The daemon knows when each was last used, to the minute, and shows it to an operator.',
  options: [['--token-file <file>', 'the token file of the daemon']],
  examples: ['stage token list', 'stage token list --json'],
  work: async (context, options) => {
    const { readTokenLines } = await import('../../../config/token-file.ts');
    const lines = readTokenLines(await tokenFileOf(context, options));
    const tokens = lines.flatMap(({ token }) => token ?? []);
    const { out } = context;
    if (tokens.length === 0 && !out.json) return out.remark('There is no token.');
    const uses = await findLastUses(context);
    const useOf = (id: string) => uses.get(id);
    if (out.json) {
      const bodies = tokens.map((token) => ({
        ...tokenBody(token),
        last_used_at: useOf(tokenId(token)),
      }));
      return out.document(stringifyJson({ tokens: bodies }));
    }
    const rows = tokens.map((token) => {
      const use = useOf(tokenId(token));
      return [...tokenRow(token), use === undefined ? '' : (use ?? 'never')];
    });
    await out.table([...tokenColumns, { title: 'last used' }], rows);
  },
});

/** Requests the tokens from the daemon. Without a response it reports that, and returns nothing. */
async function findLastUses(context: Context): Promise<LastUses> {
  try {
    return await withServer(context, async ({ api }) => (await api.listTokenUses()).value);
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    const { message, hint = '' } = error;
    await context.out.advise(
      sanitize(`The daemon did not report when they were last used: ${message}. ${hint}`.trim()),
    );
    return new Map();
  }
}
