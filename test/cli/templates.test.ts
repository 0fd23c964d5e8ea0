/** What `stage init` writes, checked as far as that goes without the machines it is for. */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultLoadersSync } from 'cosmiconfig';
import { createProgram } from '../../src/cli/program.ts';
import { options } from '../../src/config/schema.ts';
import { commandLinesIn, mistakeIn } from '../helpers/command-lines.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

const execute = promisify(execFile);

/** The documents of a YAML file. */
function yaml(text: string) {
  return text.split(/^---$/m).map((part) => defaultLoadersSync['.yaml']('template.yaml', part));
}

const template = (name: string) => readFile(`templates/${name}`, 'utf8');
const program = () => createProgram(process, '0.0.0', () => async () => undefined);
const [rest, proxy] = [options.port.default, options.proxyPort.default];

suite('templates', (test) => {
  let shell: Shell;
  test.before(async () => {
    shell = await createShell();
  });
  test.after(() => shell.clear());

  const kits: [string[], string[]][] = [
    [[], ['stage.config.yaml']],
    [['--service', 'systemd'], ['stage.service']],
    [
      ['--service', 'compose'],
      ['docker-compose.yaml', 'Dockerfile'],
    ],
    [
      ['--service', 'kubernetes', '--force'],
      ['kubernetes.yaml', 'Dockerfile'],
    ],
    [
      ['--ci', 'github'],
      ['.github/stage-change.sh', '.github/workflows/stage-change.yml'],
    ],
  ];
  for (const [args, files] of kits) {
    test(`are written by init ${args.join(' ')}, and none over another`, async () => {
      const { code, stdout } = await shell.run(['init', ...args]);
      assert.equal(
        [code, stdout],
        [0, files.map((file) => `${join(shell.folder, file)}\n`).join('')],
      );
      for (const file of files) assert.ok((await stat(join(shell.folder, file))).size > 100);
      const again = await shell.run(['init', ...args.filter((arg) => arg !== '--force')]);
      assert.is(again.code, 64);
      assert.match(again.stderr, /is there already\nhint: .*--force/);
    });
  }

  test('keep the script executable', async () => {
    assert.ok((await stat(join(shell.folder, '.github/stage-change.sh'))).mode & 0o100);
    await execute('bash', ['-n', 'templates/ci/stage-change.sh']);
  });

  for (const name of [
    'ci/stage-change.sh',
    'ci/stage-change.yml',
    'service/Dockerfile',
    'service/docker-compose.yaml',
    'service/kubernetes.yaml',
    'service/stage.service',
  ]) {
    test(`name only commands and options that exist: ${name}`, async () => {
      const lines = commandLinesIn(await template(name)).filter(([word]) => word !== 'change');
      for (const words of lines)
        assert.is(await mistakeIn(program(), words), null, words.join(' '));
      assert.ok(lines.length > 0 || name.endsWith('.yml'));
    });
  }

  test('are units that systemd takes', async () => {
    needProgram('systemd-analyze');
    const { stderr } = await execute('systemd-analyze', [
      'verify',
      'templates/service/stage.service',
    ]);
    assert.is(stderr, '');
  });

  test('open the ports that are the defaults, for Compose', async () => {
    const [{ services }] = yaml(await template('service/docker-compose.yaml'));
    assert.equal(services.stage.ports, [
      `127.0.0.1:${rest}:${rest}`,
      `127.0.0.1:${proxy}:${proxy}`,
    ]);
    for (const name of Object.keys(services.stage.environment)) assert.ok(isVariable(name), name);
    assert.match(
      await template('service/Dockerfile'),
      new RegExp(`^EXPOSE ${rest} ${proxy}$`, 'm'),
    );
  });

  test('fit together and to the defaults, for Kubernetes', async () => {
    const [deployment, service] = yaml(await template('service/kubernetes.yaml'));
    const { template: pod, selector } = deployment.spec;
    const [container] = pod.spec.containers;
    const ports = { rest, postgresql: proxy };
    assert.equal(pod.metadata.labels, selector.matchLabels);
    assert.equal(service.spec.selector, selector.matchLabels);
    type Port = { name: string; containerPort: number; port: number; targetPort: string };
    assert.equal(
      Object.fromEntries(container.ports.map((port: Port) => [port.name, port.containerPort])),
      ports,
    );
    assert.equal(
      Object.fromEntries(service.spec.ports.map((port: Port) => [port.targetPort, port.port])),
      ports,
    );
    for (const probe of [container.livenessProbe, container.readinessProbe])
      assert.is(probe.httpGet.port, 'rest');
    for (const { name } of container.env) assert.ok(isVariable(name), name);
    assert.ok(pod.spec.terminationGracePeriodSeconds * 1000 > options.shutdownGraceMs.default);
    const mounts = container.volumeMounts.map(({ name }: Port) => name);
    assert.equal(
      pod.spec.volumes.map(({ name }: Port) => name),
      mounts,
    );
  });

  test('are a workflow whose steps exist, and that no fork can run', async () => {
    const text = await template('ci/stage-change.yml');
    const [{ jobs }] = yaml(text);
    assert.equal(Object.keys(jobs), ['propose', 'approve']);
    assert.is(jobs.approve.needs, 'propose');
    assert.is(jobs.approve.environment, 'production');
    assert.match(jobs.propose.if, /head\.repo\.full_name == github\.repository/);
    type Step = { run?: string; env?: Record<string, string> };
    const steps: Step[] = [...jobs.propose.steps, ...jobs.approve.steps];
    for (const { run } of steps) assert.not.match(run ?? '', /\$\{\{/);
    const verbs = [...text.matchAll(/stage-change\.sh (open|approve)/g)].map(([, verb]) => verb);
    assert.equal(verbs, ['open', 'approve']);
  });

  function isVariable(name: string): boolean {
    return Object.values(options).some(({ env }) => env.includes(name));
  }
});
