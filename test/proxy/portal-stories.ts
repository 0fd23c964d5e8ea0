/** Portals of the extended protocol that are read in parts, several at once, between staged writes. */
import { b, c, d, e, h, p, q, run, s } from '../helpers/wire-script.ts';

const read = 'SELECT id, n FROM item ORDER BY id';
const change = 'UPDATE item SET n = n + 1000 WHERE id IN (1, 4) RETURNING id, n';
const add = `INSERT INTO item VALUES (7, 70, 'new'), (0, 0, 'new') RETURNING id`;
const remove = 'DELETE FROM item WHERE id IN (2, 5)';

/** Opens a portal with the given name over the rows of a query. */
const open = (text: string, portal: string, ...values: string[]) => [
  p(text, `of ${portal}`),
  b(values, `of ${portal}`, portal),
];

/** The messages of a driver with a fetch size: all of the first batch at once, then a batch for each further piece. */
const fetchLoop = (text: string, size: number, pieces: number) => [
  ...[p(text, 'S_1'), b([], 'S_1', 'C_1'), d('portal', 'C_1'), e(size, 'C_1'), s],
  ...Array.from({ length: pieces }, () => [e(size, 'C_1'), s]).flat(),
  ...[c('portal', 'C_1'), s],
];

export const portalStories: Readonly<Record<string, readonly Buffer[]>> = {
  'several at once, with staged writes between their pieces': [
    ...[q('BEGIN'), ...open(read, 'one'), e(2, 'one'), s],
    ...[run(change), s],
    ...[...open(read, 'two'), e(1, 'two'), e(1, 'one'), s],
    ...[run(add), e(1, 'two'), run(remove), e(1, 'one'), s],
    ...[...open(read, 'three'), e(3, 'three'), e(0, 'one'), e(0, 'two'), e(0, 'three'), s],
    ...[e(0, 'one'), d('portal', 'two'), s, q('COMMIT'), e(1, 'one'), s],
    q(read),
  ],
  'bound before a write, executed behind it': [
    ...[q('BEGIN'), ...open(read, 'before'), run(change), e(2, 'before'), s],
    ...[run(remove), s, e(0, 'before'), s, q('COMMIT'), q(read)],
  ],
  'end with their transaction': [
    ...[q('BEGIN'), ...open(read, 'one'), e(2, 'one'), s, run(change), s],
    ...[q('COMMIT'), e(2, 'one'), s],
    ...[q('BEGIN'), ...open(read, 'one').slice(1), e(2, 'one'), run('ROLLBACK'), e(1, 'one'), s],
    ...[p(read), b([], '', 'loose'), e(2, 'loose'), s, e(2, 'loose'), s],
    q(read),
  ],
  'end with their savepoint': [
    ...[q('BEGIN'), ...open(read, 'outer'), e(1, 'outer'), s, q('SAVEPOINT a')],
    ...[...open(read, 'inner'), e(1, 'inner'), run(change), e(1, 'outer'), s, q('ROLLBACK TO a')],
    ...[e(1, 'outer'), s, e(1, 'inner'), s, q('ROLLBACK TO a')],
    ...[e(0, 'outer'), s, q('ROLLBACK')],
  ],
  'a write read in parts': [
    ...[q('BEGIN'), ...open(change, 'w'), d('portal', 'w'), e(1, 'w'), s],
    ...[run(read), s, e(1, 'w'), s, e(1, 'w'), s, e(0, 'w'), s, q('COMMIT')],
    ...[...open(add, 'v'), e(1, 'v'), e(1, 'v'), e(1, 'v'), s, q(read)],
  ],
  'two writes read in parts, turn by turn': [
    ...[q('BEGIN'), ...open(change, 'w'), ...open(add, 'v'), e(1, 'w'), e(1, 'v'), s],
    ...[e(1, 'v'), e(1, 'w'), e(1, 'v'), e(1, 'w'), s, q('COMMIT'), q(read)],
  ],
  'an error between pieces': [
    ...[q('BEGIN'), ...open(read, 'one'), e(2, 'one'), s, q('SAVEPOINT a'), run(change), s],
    ...[run('SELECT 1 / 0'), e(2, 'one'), s, e(2, 'one'), s, q('ROLLBACK TO a')],
    ...[e(2, 'one'), s, run(remove), e(0, 'one'), s, q('COMMIT')],
  ],
  'an error of a piece': [
    ...[
      q('BEGIN'),
      run(change),
      ...open('SELECT 10 / (id - 3) FROM (SELECT id FROM item ORDER BY id OFFSET 0) i', 'one'),
      e(1, 'one'),
      s,
    ],
    ...[q('SAVEPOINT a'), e(2, 'one'), s, q('ROLLBACK TO a'), e(1, 'one'), s, q('ROLLBACK')],
  ],
  'of the same name as a cursor': [
    ...[q('BEGIN'), q(`DECLARE c CURSOR FOR ${read}`), ...open(read, 'c'), s, q('ROLLBACK')],
    ...[q('BEGIN'), ...open(read, 'c').slice(1), e(1, 'c'), s, run(change), s],
    ...[q('FETCH 2 FROM c'), e(1, 'c'), s, q('MOVE 1 IN c'), q('FETCH ALL FROM c'), s],
    ...[q('CLOSE c'), e(1, 'c'), s, q('ROLLBACK')],
    ...[
      q('BEGIN'),
      q(`DECLARE c CURSOR FOR ${read}`),
      run(change),
      s,
      e(2, 'c'),
      s,
      d('portal', 'c'),
    ],
    ...[s, q('FETCH 1 c'), c('portal', 'c'), s, q('FETCH 1 c'), q('ROLLBACK')],
  ],
  'a write of the same name as a cursor': [
    ...[q('BEGIN'), ...open(change, 'c'), e(1, 'c'), s, q('FETCH 1 FROM c'), s],
    ...[
      q('ROLLBACK'),
      q('BEGIN'),
      q(`DECLARE c CURSOR FOR ${read}`),
      ...open(change, 'c').slice(1),
      s,
    ],
    q('ROLLBACK'),
  ],
  'the unnamed one, replaced in the middle': [
    ...[q('BEGIN'), p(read), b(), e(2), run(change), e(2), s, p(read), b(), e(2), h, b(), e(1), s],
    ...[e(1), s, q('SELECT 1'), e(1), s, q('ROLLBACK')],
  ],
  'closed, and closed again': [
    ...[q('BEGIN'), ...open(read, 'one'), e(1, 'one'), c('portal', 'one'), c('portal', 'one'), s],
    ...[e(1, 'one'), s, q('ROLLBACK')],
    ...[q('BEGIN'), ...open(read, 'two'), c('statement', 'of two'), run(change), e(2, 'two'), s],
    ...[e(0, 'two'), s, q('ROLLBACK')],
  ],
  'limits that just fit': [
    ...[q('BEGIN'), run(remove), ...open(read, 'one'), e(4, 'one'), e(4, 'one'), s, q('ROLLBACK')],
    ...[q('BEGIN'), run(add), ...open(`${read} LIMIT 0`, 'none'), e(1, 'none'), e(1, 'none'), s],
    ...[...open('VALUES (1), (2)', 'v'), e(1, 'v'), e(1, 'v'), e(1, 'v'), s, q('ROLLBACK')],
  ],
  'a loop with a fetch size': [
    ...[run('BEGIN'), s, run(change), s, ...fetchLoop(read, 2, 4), run(remove), s],
    ...[...fetchLoop('SELECT * FROM item_parts ORDER BY id', 3, 2), run('COMMIT'), s],
  ],
  'a loop that writes by key what it reads': [
    ...[
      q('BEGIN'),
      ...open(read, 'C_1'),
      e(2, 'C_1'),
      s,
      p('UPDATE item SET note = $2 WHERE id = $1', 'w'),
      s,
    ],
    ...['1', '2', '3', '4'].flatMap((id) => [b([id, `seen ${id}`], 'w'), e(), s, e(1, 'C_1'), s]),
    ...[q('COMMIT'), q('SELECT * FROM item ORDER BY id')],
  ],
  'server-side cursors by name': [
    ...[
      run('BEGIN'),
      s,
      run(change),
      s,
      run(`DECLARE "_curs_140_1" NO SCROLL CURSOR WITHOUT HOLD FOR ${read}`),
      s,
    ],
    ...[1, 2, 3, 4].flatMap(() => [q('FETCH FORWARD 2 FROM "_curs_140_1"'), run(remove), s]),
    ...[run('CLOSE "_curs_140_1"'), s, run('COMMIT'), s],
  ],
  'FETCH and MOVE prepared, and run again': [
    ...[
      q('BEGIN'),
      q(`DECLARE c SCROLL CURSOR FOR ${read}`),
      p('FETCH 2 FROM c', 'f'),
      d('statement', 'f'),
      s,
    ],
    ...[b([], 'f'), e(), s, run(change), s, b([], 'f'), d(), e(1), e(), s],
    ...[p('MOVE PRIOR IN c', 'm'), b([], 'm'), e(), b([], 'f'), e(), s],
    ...[q('COMMIT'), b([], 'f'), e(), s, b([], 'm'), e(), s],
  ],
  'DECLARE prepared, and run after writes': [
    ...[p(`DECLARE c CURSOR FOR ${read}`, 'declares'), s, run(change), s],
    ...[
      q('BEGIN'),
      run(remove),
      b([], 'declares'),
      e(),
      run(add),
      run('FETCH ALL c'),
      s,
      q('COMMIT'),
    ],
    ...[
      q('BEGIN'),
      b([], 'declares'),
      e(),
      s,
      q('FETCH ALL c'),
      b([], 'declares'),
      e(),
      s,
      q('ROLLBACK'),
    ],
    ...[b([], 'declares'), e(), s],
  ],
  'a cursor WITH HOLD in a batch that goes on with a transaction': [
    ...[
      p(`DECLARE c CURSOR WITH HOLD FOR ${read}`),
      b(),
      e(),
      p('BEGIN'),
      b(),
      e(),
      run(change),
      s,
    ],
    ...[run('FETCH 2 c'), run('COMMIT'), run('FETCH ALL c'), s],
    ...[
      run(`DECLARE d CURSOR WITH HOLD FOR ${read}`),
      run(remove),
      run('FETCH ALL d'),
      s,
      q('FETCH ALL d'),
    ],
  ],
  'a BEGIN that was prepared, behind a read': [
    ...[p('BEGIN', 'begins'), s, run(read), b([], 'begins'), e(), run(change), s],
    ...[run('COMMIT'), s],
  ],
  'a binary portal': [
    ...[q('BEGIN'), run(change), p(read, 'r'), s, q(`DECLARE c BINARY CURSOR FOR ${read}`)],
    ...[run('FETCH 2 c'), s, d('portal', 'c'), e(1, 'c'), s, q('COMMIT')],
  ],
};
