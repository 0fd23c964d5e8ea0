/** Which name is suggested for a misspelled one, and for which names none is. */
import { nearest } from '../src/nearest.ts';
import { assert, suite } from './helpers/suite.ts';

suite('nearest name', (test) => {
  const members = ['project_id', 'metadata', 'reads', 'conflict_scope', 'id'];
  const guessed: [written: string, meant: string][] = [
    ['projectid', 'project_id'],
    ['PROJECT_ID', 'project_id'],
    ['project', 'project_id'],
    ['read', 'reads'],
    ['raeds', 'reads'],
    ['meta_data', 'metadata'],
    ['conflictscope', 'conflict_scope'],
    ['meta', 'metadata'],
  ];
  for (const [written, meant] of guessed) {
    test(`is ${meant} for ${written}`, () => assert.is(nearest(written, members), meant));
  }

  for (const written of ['', 'x', 'xy', 'foo', 'owner', 'idempotency_key', 'purpose']) {
    test(`is none for ${JSON.stringify(written)}`, () =>
      assert.is(nearest(written, members), null));
  }

  test('keeps how a name is written', () => {
    assert.is(
      nearest('weird schema.mixed case', ['orders', 'Weird Schema.Mixed Case']),
      'Weird Schema.Mixed Case',
    );
    assert.is(
      nearest('"Weird Schema"."Mixed Case"', ['orders', 'Weird Schema.Mixed Case']),
      'Weird Schema.Mixed Case',
    );
    assert.is(nearest('customer', ['orders', 'crm.customer']), 'crm.customer');
  });

  test('is none where there are no names', () => assert.is(nearest('orders', []), null));
});
