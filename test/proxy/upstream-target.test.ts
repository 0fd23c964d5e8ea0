/** How the upstream URL is read. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseUpstream } from '../../src/client-connection/upstream-target.ts';
import type { StageError } from '../../src/errors.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('proxy: upstream URL', (test) => {
  test('tells address and database, and leaves user and password behind', () => {
    const target = parseUpstream('postgresql://me:secret@db.example:6543/app');
    assert.equal(target.address, { host: 'db.example', port: 6543 });
    assert.is(target.database, 'app');
    assert.is(target.sslMode, 'prefer');
    assert.is(target.tls.servername, 'db.example');
    assert.not.match(JSON.stringify(target), 'secret');
  });

  test('fills in what is left out', () => {
    assert.equal(parseUpstream('postgresql:///app').address, { host: 'localhost', port: 5432 });
    assert.is(parseUpstream('postgresql://me@db').database, 'me');
    assert.is(parseUpstream('postgresql://127.0.0.1/x').tls.servername, undefined);
  });

  test('has to lead to a server that takes writes', () => {
    const ask = (value: string) => parseUpstream(`postgresql://db/x?target_session_attrs=${value}`);
    for (const value of ['read-write', 'primary']) assert.is(ask(value).database, 'x');
    for (const value of ['any', 'standby', 'prefer-standby', 'read-only'])
      assert.throws(() => ask(value), /target_session_attrs=/);
  });

  test('takes a Unix socket, which is never encrypted', () => {
    for (const url of [
      'postgresql://me@/app?host=/run/pg&port=5433&sslmode=require',
      'postgresql://me@%2Frun%2Fpg:5433/app?sslmode=verify-full',
    ]) {
      const target = parseUpstream(url);
      assert.equal(target.address, { path: '/run/pg/.s.PGSQL.5433' }, url);
      assert.is(target.database, 'app');
      assert.is(target.sslMode, 'disable');
    }
  });

  test("takes libpq's meaning of sslmode", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stage-'));
    const root = join(directory, 'root.crt');
    await writeFile(root, 'root');
    const mode = (query: string) => {
      const { sslMode, tls } = parseUpstream(`postgresql://db/app?${query}`);
      return [sslMode, tls.rejectUnauthorized, tls.checkServerIdentity === undefined];
    };
    assert.equal(mode('sslmode=disable'), ['disable', false, true]);
    assert.equal(mode('sslmode=allow'), ['allow', false, true]);
    assert.equal(mode('sslmode=prefer'), ['prefer', false, true]);
    assert.equal(mode('sslmode=require'), ['require', false, true]);
    assert.equal(mode('sslmode=no-verify'), ['require', false, true]);
    assert.equal(mode(`sslmode=require&sslrootcert=${root}`), ['verify-ca', true, false]);
    assert.equal(mode(`sslmode=verify-ca&sslrootcert=${root}`), ['verify-ca', true, false]);
    assert.equal(mode('sslmode=verify-full'), ['verify-full', true, true]);
    await rm(directory, { recursive: true });
  });

  test('refuses certificates that are none', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stage-'));
    const file = join(directory, 'client.crt');
    await writeFile(file, 'no certificate');
    assert.throws(
      () => parseUpstream(`postgresql://db/app?sslmode=require&sslcert=${file}`),
      (error: StageError) => error.code === 'configuration_invalid',
    );
    await rm(directory, { recursive: true });
  });

  for (const url of [
    'postgresql://me:secret@db/app?sslmode=sometimes',
    'postgresql://me:secret@db:99999999/app',
    'postgresql://me:secret@db/app?sslrootcert=/no/such/file',
    'postgresql://me:secret@db/app?sslmode=verify-ca',
  ]) {
    test(`refuses ${url}`, () => {
      assert.throws(
        () => parseUpstream(url),
        (error: StageError) =>
          error.code === 'configuration_invalid' && !error.message.includes('secret'),
      );
    });
  }
});
