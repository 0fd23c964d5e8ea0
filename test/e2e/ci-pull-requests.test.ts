/** The CI workflow, with its real steps, for pull requests whose authors attempt more than to change data. */
import { execFile } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Shell } from '../cli/stage.ts';
import { createShell, installStage } from '../cli/stage.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { needProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { JobOutcome, PullRequest, Workflow } from '../helpers/workflow.ts';
import { playJob, readWorkflow } from '../helpers/workflow.ts';

const execute = promisify(execFile);
const slow = { timeout: 180_000 };

/** The files of a pull request by path. A link is written as `-> target`. */
type Files = Readonly<Record<string, string>>;

/** A replacement of GitHub's program: it prints who approved deployments of a run, or fails as if it lacked the right. */
const answering = `#!/bin/sh
[ "$1" != api ] && exit 0
[ "$2" = repos/shop/shop/actions/runs/17/approvals ] && [ "$GH_TOKEN" = job-token ] && cat "$APPROVALS"
`;

/** Returns GitHub's JSON of a review. */
const review = (login: string, state = 'approved', environment = 'production') => ({
  state,
  comment: '',
  environments: [{ id: 1, name: environment }],
  user: { login, type: 'User' },
});

const raise = `UPDATE products SET price = price + 1 WHERE sku = 'MUG-01';`;

suite('CI workflow', (test) => {
  let daemon: TestDaemon;
  let shell: Shell;
  let runner: Record<string, string>;
  let workflow: Workflow;
  /** Where programs of the attacker store what they find. */
  let loot: string;
  let approvals: string;
  const tokens = { author: "the author's token", reviewer: "the reviewer's token" };
  test.before(async () => {
    daemon = await startTestDaemon();
    shell = await createShell(daemon.restUrl);
    runner = await installStage(shell);
    loot = join(shell.folder, 'loot');
    approvals = join(shell.folder, 'approvals.json');
    await writeFile(join(shell.folder, 'npm'), '#!/bin/sh\n', { mode: 0o755 });
    await writeFile(join(shell.folder, 'gh'), answering, { mode: 0o755 });
    workflow = readWorkflow(await readFile('templates/ci/stage-change.yml', 'utf8'));
  });
  test.after(async () => {
    await shell.clear();
    await daemon.stop();
  });

  /** Creates a repository with the recipe, and a branch of it with some files. */
  async function pull(files: Files): Promise<PullRequest> {
    const repository = await mkdtemp(join(shell.folder, 'repository-'));
    const git = async (...args: string[]) => {
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
      const { stdout } = await execute('git', [...who, ...args], { cwd: repository });
      return stdout.trim();
    };
    const commit = async () => {
      await git('add', '--all');
      await git('commit', '--quiet', '--message', 'x');
      return git('rev-parse', 'HEAD');
    };
    await git('init', '--quiet', '--initial-branch', 'main');
    await mkdir(join(repository, '.github'));
    await copyFile('templates/ci/stage-change.sh', join(repository, '.github/stage-change.sh'));
    await chmod(join(repository, '.github/stage-change.sh'), 0o755);
    const base = await commit();
    await git('checkout', '--quiet', '-b', 'change');
    for (const [name, text] of Object.entries(files)) {
      const path = join(repository, name);
      await mkdir(dirname(path), { recursive: true });
      await rm(path, { force: true });
      const target = /^-> (.*)$/.exec(text)?.[1];
      if (target) await symlink(target, path);
      else await writeFile(path, text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
    }
    return { repository, base, head: await commit() };
  }

  const values = (token: string) => ({
    'vars.STAGE_SERVER': daemon.restUrl,
    'vars.STAGE_PGUSER': daemon.database.user,
    'secrets.STAGE_PGPASSWORD': daemon.database.password,
    'secrets.STAGE_TOKEN': token,
    'github.event.repository.name': 'shop',
    'github.triggering_actor': 'ada',
    'github.actor': 'ada',
    'github.repository': 'shop/shop',
    'github.run_id': '17',
    'github.server_url': 'https://github.example',
    'github.token': 'job-token',
  });
  const play = (job: string, request: PullRequest, more: Record<string, string>) =>
    playJob(workflow, job, request, more, { ...runner, LOOT: loot, APPROVALS: approvals });
  const propose = (request: PullRequest) => play('propose', request, values(tokens.author));
  /** Runs the approval with the outputs of the preceding job, after a person permitted it. */
  const approve = (request: PullRequest, { outputs }: JobOutcome) =>
    play('approve', request, {
      ...values(tokens.reviewer),
      'needs.propose.outputs.session': outputs['steps.change.outputs.session'] ?? '',
      'needs.propose.outputs.digest': outputs['steps.change.outputs.digest'] ?? '',
    });

  const sessions = async () => (await daemon.call('GET', '/sessions')).body.sessions;
  const production = () => daemon.database.query('SELECT * FROM products ORDER BY sku');
  const stolen = () => readFile(loot, 'utf8').catch(() => null);
  const steal = `echo "$STAGE_TOKEN $STAGE_APPROVER" >> "$LOOT"`;

  /** Files that a hostile pull request adds. */
  const trojans: Files = {
    '.github/stage-change.sh': `#!/bin/sh\n${steal}\necho session=s >> "$GITHUB_OUTPUT"\n`,
    '.github/workflows/stage-change.yml': 'on: push\n',
    '.npmrc': 'registry=http://127.0.0.1:1/\n',
    '.psqlrc': `\\! ${steal}\n`,
    'stage.config.yaml': 'server: http://127.0.0.1:1\n',
    '.gitattributes': '*.sql diff=x filter=x\n',
    '.gitconfig': `[diff "x"]\n\ttextconv = ${steal}\n`,
    stage: `#!/bin/sh\n${steal}\n`,
  };

  for (const [what, files] of Object.entries<Files>({
    'a command for a shell': { 'changes/1.sql': `\\! ${steal}` },
    'a command behind a statement': { 'changes/1.sql': `${raise} \\! ${steal}` },
    'a copy to a program': { 'changes/1.sql': `\\copy products to program '${steal}'` },
    'a copy from a file': { 'changes/1.sql': `\\copy orders (note) from '/proc/self/environ'` },
    'rows that are run': { 'changes/1.sql': `SELECT '${raise.replaceAll("'", "''")}' \\gexec` },
    'rows for a shell': { 'changes/1.sql': `SELECT 1 \\g | ${steal}` },
    'a variable of the environment': {
      'changes/1.sql': `\\setenv PSQL_EDITOR '${steal}'\n\\set x \`${steal}\`\n${raise}`,
    },
    'another file': { 'changes/1.sql': `\\i ../.github/stage-change.sh`, 'changes/2.sql': raise },
    'the variables in a statement': { 'changes/1.sql': `\\getenv t STAGE_TOKEN\nSELECT :'t'` },
    'a link': { 'changes/1.sql': '-> /proc/self/environ' },
    'a name that is an option': { 'changes/--output=x.sql': `\\! ${steal}` },
  })) {
    test(
      `gives nothing to a pull request with ${what}`,
      async () => {
        needProgram('git');
        const before = await production();
        const request = await pull({ ...files, ...trojans });
        const outcome = await propose(request);
        assert.equal([outcome.succeeded, outcome.outputs], [false, {}], outcome.said);
        assert.match(outcome.said, 'failed; nothing is left of it');
        assert.is(await stolen(), null);
        for (const token of Object.values(tokens)) assert.not.match(outcome.said, token);
        assert.equal(await sessions(), []);
        assert.equal(await production(), before);
      },
      slow,
    );
  }

  test(
    'approves what it has shown, by none of the files of the pull request, and names who released it',
    async () => {
      needProgram('git');
      needProgram('jq');
      const request = await pull({
        'changes/1.sql': raise,
        'changes/x/é 2.sql': raise,
        ...trojans,
      });
      const proposed = await propose(request);
      assert.ok(proposed.succeeded, proposed.said);
      const [session, digest] = ['session', 'digest'].map(
        (name) => proposed.outputs[`steps.change.outputs.${name}`] ?? '',
      );
      assert.match(proposed.summary, /<code>9\.50<\/code> → <code>11\.50<\/code>/);
      assert.match(proposed.summary, new RegExp(`Digest: .${digest}`));
      const forged = { 'steps.change.outputs.session': session ?? '' };
      const other = { ...forged, 'steps.change.outputs.digest': `sha256:${'0'.repeat(64)}` };
      assert.not.ok((await approve(request, { ...proposed, outputs: other })).succeeded);
      assert.is((await daemon.call('GET', `/sessions/${session}`)).body.status, 'proposed');
      const reviews = [
        review('ada', 'approved', 'staging'),
        review('cy', 'rejected'),
        review('bea'),
        review('bea'),
      ];
      await writeFile(approvals, JSON.stringify(reviews));
      const approved = await approve(request, proposed);
      assert.ok(approved.succeeded, approved.said);
      const { body } = await daemon.call('GET', `/sessions/${session}`);
      assert.equal([body.status, body.project_id], ['approved', 'shop']);
      assert.is(body.approved_by, 'bea https://github.example/shop/shop/actions/runs/17');
      const [row] = await daemon.database.query(`SELECT price FROM products WHERE sku = 'MUG-01'`);
      assert.is(row?.['price'], '11.50');
      assert.is(await stolen(), null);
      await daemon.call('DELETE', `/sessions/${session}`);
    },
    slow,
  );

  for (const [what, answer] of Object.entries({
    'does not answer': null,
    'answers nonsense': '<html>',
    'knows of no review': '[]',
    'knows of a review of another environment only': JSON.stringify([
      review('ada', 'approved', 'staging'),
    ]),
  })) {
    test(
      `names no author as who approved where GitHub ${what}`,
      async () => {
        needProgram('git');
        needProgram('jq');
        await rm(approvals, { force: true });
        if (answer !== null) await writeFile(approvals, answer);
        const request = await pull({ 'changes/1.sql': raise });
        const proposed = await propose(request);
        const approved = await approve(request, proposed);
        assert.ok(approved.succeeded, approved.said);
        assert.match(approved.said, '::warning::GitHub does not say who has released');
        const session = proposed.outputs['steps.change.outputs.session'];
        const { body } = await daemon.call('GET', `/sessions/${session}`);
        assert.is(
          body.approved_by,
          'not told by GitHub https://github.example/shop/shop/actions/runs/17',
        );
        await daemon.call('DELETE', `/sessions/${session}`);
      },
      slow,
    );
  }

  test(
    'proposes nothing where no script is changed',
    async () => {
      needProgram('git');
      const { succeeded, outputs, said } = await propose(await pull(trojans));
      assert.equal([succeeded, outputs], [true, {}], said);
    },
    slow,
  );
});
