/** The texts that the only writer to the upstream's socket accepts: the client's own text of a write is refused. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { PendingResponse } from '../../src/server-connection/pending-response.ts';
import type { ResponseRouter } from '../../src/server-connection/response-router.ts';
import { SocketWriter } from '../../src/server-connection/socket-writer.ts';
import { TransactionState } from '../../src/server-connection/transaction-state.ts';
import {
  emptyText,
  internalText,
  readsText,
  statementText,
} from '../../src/server-connection/upstream-text.ts';
import { UpstreamWriter } from '../../src/server-connection/upstream-writer.ts';
import { createVerdictCache } from '../../src/sql/classify/verdict-cache.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import type { Replacement } from '../../src/sql/splice.ts';
import { spliceBytes } from '../../src/sql/splice.ts';
import { parseMessage, queryMessage } from '../../src/wire/frontend-messages.ts';
import { assert, suite } from '../helpers/suite.ts';

const asked = new PendingResponse('parse', 'all');

/** Returns a link to nowhere, with what was sent through it. */
function linkOf(state: TransactionState) {
  const written: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    write: (bytes: Buffer) => written.push(bytes.toString('latin1')),
    cork: () => undefined,
    uncork: () => undefined,
  });
  const router = { expect: () => undefined, isIdle: true } as unknown as ResponseRouter;
  return {
    link: new UpstreamWriter(new SocketWriter(socket as unknown as Socket), router, state),
    written,
  };
}

suite('what goes upstream', (test) => {
  test.before(loadParser);

  const classified = (sql: string) => {
    const [statement] = createVerdictCache(0, { maxStatementBytes: 10_000 }).classify(
      Buffer.from(sql),
    );
    if (statement === undefined) throw new Error('no statement');
    return statement;
  };
  const sentFor = (sql: string, replacements: readonly Replacement[]) => ({
    written: Buffer.from(sql),
    start: 0,
    sent: spliceBytes(Buffer.from(sql), replacements),
    replacements,
  });

  for (const sql of [
    'INSERT INTO t VALUES (1)',
    'UPDATE s.t SET a = 1',
    'DELETE FROM ONLY t',
    'MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE',
    'COPY t FROM STDIN',
    'TRUNCATE u, t',
    'WITH w AS (DELETE FROM t RETURNING 1) SELECT 1',
    'PREPARE p AS INSERT INTO t VALUES (1)',
  ]) {
    test(`never ${sql}`, () => {
      const statement = classified(sql);
      assert.throws(() => statementText(statement, sentFor(sql, [])), /as the client wrote it/);
      // a replacement elsewhere does not help
      const elsewhere = [{ start: 0, end: 1, text: sql.slice(0, 1) }];
      assert.throws(
        () => statementText(statement, sentFor(sql, elsewhere)),
        /as the client wrote it/,
      );
      const whole = [{ start: 0, end: sql.length, text: 'SELECT 1' }];
      assert.is(statementText(statement, sentFor(sql, whole)).kind, 'staged');
    });
  }

  test('no text that was not classified, and no refused one', () => {
    const [statement] = [classified('SELECT 1')];
    assert.throws(
      () => emptyText({ text: Buffer.from('x'), statements: [statement] }, s),
      /classified/,
    );
    assert.throws(() => readsText(Buffer.from('x'), { passes: false, reads: 1 }, null), /staged/);
    const refused = classified('CREATE TABLE t ()');
    assert.throws(() => statementText(refused, sentFor('CREATE TABLE t ()', [])), /refused/);
  });

  test('no Parse or Query that brings a text of its own', () => {
    const { link } = linkOf(new TransactionState('read write'));
    assert.throws(() => link.send(parseMessage({ text: 'DELETE FROM t' }), asked), /checked/);
    assert.throws(() => link.send(queryMessage('DELETE FROM t'), asked), /checked/);
  });

  test('no read in a transaction that may write, unless it is guarded', () => {
    const state = new TransactionState('read write');
    const { link } = linkOf(state);
    const text = statementText(classified('SELECT 1'), sentFor('SELECT 1', []));
    link.query(text, asked);
    state.begin('client', 'read write');
    assert.throws(() => link.query(text, asked), /where writing is possible/);
    assert.throws(() => link.parse({ name: '', text, types: [] }, asked), /where writing/);
    state.guard(false);
    link.query(text, asked);
    state.release();
    state.changeAccess();
    assert.throws(() => link.query(text, asked), /where writing is possible/);
    state.learnAccess('read only');
    link.query(text, asked);
  });

  test('sets what a text is read by before it, where something was sent that may have changed it', () => {
    const { link } = linkOf(new TransactionState('read write'));
    let pinned = 0;
    link.pinBy(() => {
      pinned += 1;
    });
    const send = (sql: string) =>
      link.parse({ name: '', text: internalText(sql), types: [] }, asked);
    send("SELECT '\\'");
    assert.is(pinned, 0, 'nothing was sent before');
    send('SELECT 1');
    assert.is(pinned, 0, 'reads the same under all settings');
    send("SELECT '\\'");
    send("SELECT 'ä'");
    assert.is(pinned, 2);
    link.received();
    send("SELECT 'ä'");
    assert.is(pinned, 2, 'the server has told all settings');
  });
});

const s = Buffer.from('S');
