/** The guards of briefs and cards. */
import type { Guard } from './guard.ts';

export const cardGuards: readonly Guard[] = [
  {
    name: 'a card of another round is not shown as the present one',
    without: '',
    tests: ['rest/stored-cards'],
  },
  {
    name: 'a card of other rows is not shown',
    without: '',
    tests: ['rest/stored-cards'],
  },
  {
    name: 'a card is stored while its proposal stands',
    without: 'WHERE s.id = $1',
    tests: ['rest/stored-cards'],
  },
  {
    name: 'a card stays as it was',
    without: 'ON CONFLICT (session, round) DO UPDATE SET brief = excluded.brief`;',
    tests: ['rest/stored-cards'],
  },
  {
    name: 'the values in cards go with the log',
    without: '',
    tests: ['rest/stored-cards'],
  },
  {
    name: 'of a stored card a caller who may not see every table gets counts only',
    without: 'flags: flags.map(flagBody),',
    tests: ['rest/stored-cards'],
  },
  {
    name: 'triggers of hidden tables are not named',
    without: 'AND (NOT $3::boolean OR true)',
    tests: ['review/brief-effects'],
  },
  {
    name: 'a brief shows only counts of hidden tables',
    without: 'const shape = await shapeForBrief(tx, uuid, table);',
    tests: ['review/brief.test'],
  },
  {
    name: "a brief runs no cast of users with the service's rights",
    without: ',',
    tests: ['review/brief.test'],
  },
  {
    name: 'other sessions are not named to those who see their own only',
    without: 'sessionId,',
    tests: ['review/brief.test'],
  },
];
