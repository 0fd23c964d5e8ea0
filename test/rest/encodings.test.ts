/** Texts that the encoding of the database cannot represent are refused, with the member that holds them. */
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

/** Encodings, each with a word that it lacks and one that it has. */
const encodings = [
  ['LATIN1', '日本', 'é'],
  ['EUC_JP', '€', '日本'],
] as const;

for (const [encoding, lacked, had] of encodings) {
  suite(`rest: words in a database in ${encoding}`, (test) => {
    let rest: TestRest;
    test.before(async () => {
      const database = await createTestDatabase({ template: 'empty', encoding });
      rest = await startTestRest({ database });
    });
    test.after(async () => {
      await rest.stop();
      await rest.database.drop();
    });

    const refused = async (member: string, method: string, path: string, body?: object) => {
      const answer = await rest.call(method, path, body === undefined ? {} : { json: body });
      assert.is(answer.status, 400, answer.text);
      assert.is(answer.body.error, 'invalid_request');
      const character = [...lacked][0];
      const message = `${member}: the encoding of the database lacks the character ${character}`;
      assert.is(answer.body.message, message);
      assert.match(String(answer.body.hint), encoding);
    };

    test('takes what the encoding has', async () => {
      const id = await rest.newSession({ metadata: { note: had } });
      const { body } = await rest.call('GET', `/sessions/${id}`);
      assert.equal(body.metadata, { note: had });
    });

    test('refuses a new session by its member', async () => {
      await refused('metadata', 'POST', '/sessions', { metadata: { note: lacked } });
      await refused('project_id', 'POST', '/sessions', { project_id: lacked });
    });

    test('refuses words of reviewers by their member', async () => {
      const id = await rest.newSession();
      await refused('body', 'POST', `/sessions/${id}/comments`, { body: lacked });
      await rest.call('POST', `/sessions/${id}/propose`);
      await refused('reason', 'POST', `/sessions/${id}/reject`, { reason: lacked });
      const { body } = await rest.call('GET', `/sessions/${id}`);
      assert.is(body.status, 'proposed');
    });

    test('refuses a filter by its parameter', async () => {
      await refused('project_id', 'GET', `/sessions?project_id=${encodeURIComponent(lacked)}`);
    });
  });
}
