/** The files that `stage init` writes, checked as far as possible without the machines that they are for. */
import { execFile } from 'node:child_process';
import { appendFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultLoadersSync } from 'cosmiconfig';
import { createProgram } from '../../src/cli/program.ts';
import { options } from '../../src/config/schema.ts';
import { commandLinesIn, mistakeIn } from '../helpers/command-lines.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Job } from '../helpers/workflow.ts';
import { readWorkflow } from '../helpers/workflow.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

const execute = promisify(execFile);

/** Parses the documents of a YAML file. */
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
      ['--service', 'kubernetes'],
      ['kubernetes.yaml', 'Dockerfile'],
    ],
    [
      ['--ci', 'github'],
      ['.github/stage-change.sh', '.github/workflows/stage-change.yml'],
    ],
  ];
  for (const [args, files] of kits) {
    test(`are written by init ${args.join(' ')}, beside the same ones, and none over another`, async () => {
      const { code, stdout } = await shell.run(['init', ...args]);
      assert.equal(
        [code, stdout],
        [0, files.map((file) => `${join(shell.folder, file)}\n`).join('')],
      );
      for (const file of files) assert.ok((await stat(join(shell.folder, file))).size > 100);
      assert.is((await shell.run(['init', ...args])).code, 0);
      const [own = ''] = files;
      await appendFile(join(shell.folder, own), '# mine\n');
      const again = await shell.run(['init', ...args]);
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

  test('are a workflow that no fork can run, and in which a pull request is data', async () => {
    const text = await template('ci/stage-change.yml');
    const { on, permissions, jobs } = readWorkflow(text);
    assert.equal(Object.keys(on), ['pull_request_target']);
    assert.equal(permissions, {});
    assert.equal(Object.keys(jobs), ['propose', 'approve']);
    const { propose, approve } = jobs as Record<'propose' | 'approve', Job>;
    assert.match(propose.if ?? '', /head\.repo\.full_name == github\.repository/);
    assert.match(propose.if ?? '', /base\.ref == github\.event\.repository\.default_branch/);
    assert.is(propose.environment, 'staging');
    const checkouts = ({ steps }: Job) =>
      steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    assert.equal(
      checkouts(propose).map((step) => step.with),
      [{ 'fetch-depth': 0, 'persist-credentials': false }],
    );
    assert.equal([approve.needs, approve.environment], ['propose', 'production']);
    assert.equal([approve.permissions, checkouts(approve)], [{ actions: 'read' }, []]);
    assert.match(approve.steps.at(-1)?.run ?? '', /^stage approve "\$SESSION" --digest "\$DIGEST"/);
    for (const { run } of [...propose.steps, ...approve.steps])
      assert.not.match(run ?? '', /\$\{\{/);
    assert.match(await template('ci/stage-change.sh'), /^ {2}open-commits\)/m);
  });

  test('take nothing that may become another thing under the same name', async () => {
    const workflow = await template('ci/stage-change.yml');
    const dockerfile = await template('service/Dockerfile');
    for (const [, action] of workflow.matchAll(/uses: (.*)$/gm))
      assert.match(action ?? '', /^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const versions = [...workflow.matchAll(/node-version: ([^,]*)/g)].map(([, each]) => each);
    const [, image] = /^FROM node:(.*)-slim$/m.exec(dockerfile) ?? [];
    assert.match(image ?? '', /^\d+\.\d+\.\d+$/);
    assert.equal(versions, [image, image]);
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const installs = [...`${workflow}${dockerfile}`.matchAll(/npm install .*$/gm)];
    assert.is(installs.length, 3);
    for (const [line] of installs) assert.ok(line.endsWith(` @stagedb/stage@${version}`), line);
    for (const { 'runs-on': machine } of Object.values(readWorkflow(workflow).jobs))
      assert.not.match(machine, 'latest');
  });

  function isVariable(name: string): boolean {
    return Object.values(options).some(({ env }) => env.includes(name));
  }
});
