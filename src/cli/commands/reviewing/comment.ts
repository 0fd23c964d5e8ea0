/** `stage comment`: comments on a session, a table or a row. */
import { text } from 'node:stream/consumers';
import { StageError } from '../../../errors.ts';
import { keyOf } from '../../arguments/row-key.ts';
import { openStates, resolveSession } from '../../arguments/session-argument.ts';
import { defineServerCommand } from '../../define-command.ts';
import type { Host } from '../../host.ts';

interface Options {
  readonly message?: string;
  readonly table?: string;
  readonly row?: string;
}

export const commentCommand = defineServerCommand<Options>({
  description:
    'Comment on a session, a table or a row of it, in any state. Without --message the comment comes from stdin.',
  arguments: [['[session]', 'session id']],
  options: [
    ['-m, --message <text>', 'what to say'],
    ['--table <table>', 'the table it is about'],
    ['--row <key>', 'the row it is about, by its key; as JSON where it is not one number or word'],
  ],
  examples: [
    'stage comment -m "why the bags, too?"',
    'stage comment --table products --row 3 -m "is this one right?"',
    'git log -1 --format=%B | stage comment sess_2f0c...',
  ],
  work: async ({ context, connection }, { message, table, row }, argument) => {
    if (row !== undefined && table === undefined) throw withoutTable();
    const body = (message ?? (await read(context.host))).trimEnd();
    const id = await resolveSession(context, connection, argument, openStates);
    const rowId = row === undefined ? undefined : keyOf(row);
    const { body: answer, value } = await connection.api.addComment(id, {
      body,
      table,
      rowId,
    });
    await context.out.line(context.out.json ? answer : value.id);
  },
});

async function read({ stdin }: Host): Promise<string> {
  if (stdin.isTTY) {
    throw new StageError('usage', 'there is nothing to say', {
      hint: 'Say it with -m: stage comment -m "why the bags, too?"',
    });
  }
  return text(stdin);
}

function withoutTable(): StageError {
  return new StageError('usage', 'a row is one of a table', {
    hint: 'Name it: stage comment --table products --row 3 -m "..."',
  });
}
