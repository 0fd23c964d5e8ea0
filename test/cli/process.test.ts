/** The command line as a process: signals and closed pipes, and the files that it writes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell, stageCommand } from './stage.ts';

const session = `sess_${'0'.repeat(32)}`;

suite('command line as a process', (test) => {
  let shell: Shell;
  test.before(async () => {
    shell = await createShell();
  });
  test.after(() => shell.clear());

  for (const args of [
    ['status'],
    ['diff', session],
    ['session', 'new'],
    ['approve', '--yes', session],
  ]) {
    test(`ends ${args[0]} with 7 when nobody answers`, async () => {
      const { code, stdout, stderr } = await shell.spawn(args);
      assert.equal([code, stdout], [7, '']);
      assert.match(stderr, /^error: .*127\.0\.0\.1:1 cannot be reached.*\nhint: .*stage serve/);
    });
  }

  test('ends with 130 when it is interrupted', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const env = { ...shell.env, STAGE_SERVER: `http://127.0.0.1:${port}` };
    const child = spawn(process.execPath, [...stageCommand, 'diff', session], {
      cwd: shell.folder,
      env,
    });
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    await once(silent, 'request');
    child.kill('SIGINT');
    const [[code], stderr] = await ended;
    silent.closeAllConnections();
    silent.close();
    assert.equal([code, stderr], [130, '']);
  });

  test('ends without noise when nobody reads its output any more', async () => {
    const change = '{"type":"INSERT","row_id":1,"before":null,"after":{"id":1}}';
    const endless = createServer((_, response) => {
      response.write('{"tables":{"t":{"changes":[');
      const more = () => {
        while (!response.destroyed && response.write(`${change},`));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const { port } = endless.address() as AddressInfo;
    const env = { ...shell.env, STAGE_SERVER: `http://127.0.0.1:${port}` };
    const child = spawn(process.execPath, [...stageCommand, 'diff', session], {
      cwd: shell.folder,
      env,
    });
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    const [first] = await once(child.stdout, 'data');
    child.stdout.destroy();
    const [[code], stderr] = await ended;
    endless.closeAllConnections();
    endless.close();
    assert.match(String(first), /^t\n {2}\+ 1 {2}id: 1\n/);
    assert.equal([code, stderr], [0, '']);
  });

  test('writes a configuration to start from, and no second time', async () => {
    const { code, stdout } = await shell.spawn(['init']);
    const file = join(shell.folder, 'stage.config.yaml');
    assert.equal([code, stdout], [0, `${file}\n`]);
    assert.match(await readFile(file, 'utf8'), /upstream/);
    assert.is((await shell.run(['serve', '--print-config'])).code, 0);
    await writeFile(file, 'port: 1\n');
    const again = await shell.spawn(['init']);
    assert.is(again.code, 64);
    assert.is(await readFile(file, 'utf8'), 'port: 1\n');
    assert.is((await shell.run(['init', '--force'])).code, 0);
    assert.ok((await stat(file)).size > 1000);
  });

  test('prints every SQL that the service would run', async () => {
    const { code, stdout } = await shell.spawn(['init', '--print-sql']);
    assert.is(code, 0);
    assert.match(
      stdout,
      /^BEGIN;[\s\S]*CREATE SCHEMA[\s\S]*CREATE TABLE stage\.session[\s\S]*COMMIT;\s*$/,
    );
  });

  test('prints the configuration of the daemon without its secrets', async () => {
    const env = {
      STAGE_UPSTREAM: 'postgresql://me:planted-secret@db/shop',
      STAGE_TOKEN: 'planted-secret',
    };
    const { code, stdout } = await shell.run(['serve', '--print-config', '--port', '9999'], {
      env,
    });
    assert.is(code, 0);
    assert.match(stdout, /^port: 9999 +# --port$/m);
    assert.match(stdout, /^upstream: .*db.* # STAGE_UPSTREAM$/m);
    assert.not.match(stdout, /planted-secret/);
  });

  test('refuses a setting that is none, with 64', async () => {
    const { code, stderr } = await shell.run(['serve', '--port', 'http', '--no-color']);
    assert.is(code, 64);
    assert.match(stderr, /--port must be a port number/);
  });
});
