/**
 * Whatever a client sends, in any protocol and with any rights, production does not change, and the service continues. Each role sends a
 * list in two of the six protocols, all three roles together in all six. `STAGE_TEST_FORMS=all npm test -- attacks/as` sends it in each.
 */
import { formsInTurn } from '../helpers/forms.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';
import type { AttackerRole } from './attacked-database.ts';
import { besiege } from './attacked-database.ts';
import { attempts } from './attempts.ts';
import { fingerprint } from './fingerprint.ts';

/** The forms in which the statements of a list are sent. `runScript` adds the last Sync, and ends a failed transaction. */
const protocols: Readonly<Record<string, (statements: readonly string[]) => Buffer[]>> = {
  'simple queries': (statements) => statements.map((text) => q(text)),
  'simple queries that read what is staged': (statements) => statements.map((text) => q(text)),
  'one message': (statements) => statements.map((text) => q(`SELECT 1; ${text}; SELECT 2`)),
  'extended queries': (statements) => statements.flatMap((text) => [run(text), s]),
  pipelined: (statements) => statements.flatMap((text) => [run(`SELECT 1`), run(text)]),
  'a pipeline inside a transaction': (statements) =>
    statements.flatMap((text) => [run('BEGIN'), run(text), run('SELECT evil()'), s, q('COMMIT')]),
};

const roles: readonly AttackerRole[] = ['superuser', 'owner', 'reader'];

/** Defines the suite of one role. */
export function attackAs(role: AttackerRole): void {
  suite(`attacks as ${role}`, (test) => {
    const siege = besiege(test);

    for (const [turn, [name, statements]] of Object.entries(attempts).entries()) {
      const chosen = formsInTurn(
        Object.entries(protocols),
        turn + roles.indexOf(role),
        roles.length,
      );
      test(
        name,
        async () => {
          const { attacked, before } = siege;
          for (const [protocol, messages] of chosen) {
            const reads = protocol.endsWith('staged') ? 'staged' : 'production';
            const url = await attacked.session(role, reads);
            const answers = await runScript(url, [...messages(statements), s, q('ROLLBACK')]);
            assert.equal(await fingerprint(attacked.database), before, protocol);
            assert.ok(answers.at(-1) === 'closed' || answers.includes('Z I'), protocol);
          }
        },
        { timeout: 120_000 },
      );
    }

    test('and outside of the proxy the same functions do write', async () => {
      const { attacked, before } = siege;
      await attacked.database.query('SELECT evil()');
      assert.not.equal(await fingerprint(attacked.database), before);
    });
  });
}
