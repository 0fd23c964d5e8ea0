/** The folder for the data of test servers: the data of killed runs is removed, that of others stays. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '../helpers/suite.ts';
import { memoryFolder } from './memory-folder.ts';

suite('memory folder', (test) => {
  test('is cleared of servers that have ended', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stage-memory-'));
    const leave = async (name: string, pid: number | undefined) => {
      await mkdir(join(folder, name, 'data'), { recursive: true });
      if (pid !== undefined)
        await writeFile(join(folder, name, 'data', 'postmaster.pid'), `${pid}\n/data\n`);
    };
    try {
      const { pid: ended } = spawnSync(process.execPath, ['-e', '']);
      await leave('stage-test-ended', ended);
      await leave('stage-test-running', process.pid);
      await leave('stage-test-starting', undefined);
      await leave('of-others', ended);
      await memoryFolder(folder);
      assert.equal((await readdir(folder)).sort(), [
        'of-others',
        'stage-test-running',
        'stage-test-starting',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('is not used where it does not exist', async () => {
    assert.is(await memoryFolder('/nonexistent'), null);
  });
});
