/** Splitting JSON: in any chunks, nothing is lost and no number is parsed. */
import { Fields } from '../../src/client/fields.ts';
import { JsonText } from '../../src/model/json.ts';
import { elementsOf, membersOf } from '../../src/model/json-members.ts';
import type { Piece } from '../../src/model/json-splitter.ts';
import { JsonSplitter } from '../../src/model/json-splitter.ts';
import { assert, suite } from '../helpers/suite.ts';

const row =
  '{"id":9007199254740993,"price":1.10,"tags":["a,b","}"],"note":"\\"quoted\\\\","nil":null}';
const document = ` {"digest" : "sha256:1","tables":{"orders":{"inserts":2,"changes":[${row} , ${row}]},"x":{}}} `;

function split(chunks: readonly string[], depth: number): [string, string][] {
  const splitter = new JsonSplitter((path) => path.length < depth);
  const pieces: Piece[] = chunks.flatMap((chunk) => splitter.push(chunk));
  pieces.push(...splitter.end());
  return pieces.map(({ path, value }) => [path.join('/'), value.text]);
}

suite('JSON splitter', (test) => {
  test('gives members down to the depth asked for, each as it was written', () => {
    assert.equal(split([document], 4), [
      ['digest', '"sha256:1"'],
      ['tables/orders/inserts', '2'],
      ['tables/orders/changes/0', row],
      ['tables/orders/changes/1', row],
    ]);
  });

  test('gives the same wherever the chunks end', () => {
    const whole = split([document], 4);
    for (let at = 0; at <= document.length; at += 1) {
      assert.equal(split([document.slice(0, at), document.slice(at)], 4), whole);
    }
    assert.equal(split([...document], 4), whole);
  });

  test('gives a document that is no container whole', () => {
    for (const text of ['17', 'true', '"a"', '-0.5e3']) {
      assert.equal(split([text], 1), [['', text]]);
      assert.equal(split([...text], 1), [['', text]]);
    }
  });

  test('says when a document was cut short', () => {
    for (let length = 0; length < document.trimEnd().length; length += 1) {
      assert.throws(() => split([document.slice(0, length)], 4), /ends before it is complete/);
    }
  });

  test('reads keys that look like something else', () => {
    const members = membersOf(new JsonText('{"a\\"b":1,"__proto__":2,"\\u00e9,":[3]}'));
    assert.equal([...members.keys()], ['a"b', '__proto__', 'é,']);
    assert.equal(
      [...members.values()].map((value) => value.text),
      ['1', '2', '[3]'],
    );
  });

  test('finds no members and elements where there are none', () => {
    assert.is(membersOf(new JsonText('[1]')).size, 0);
    assert.is(membersOf(new JsonText('{}')).size, 0);
    assert.is(elementsOf(new JsonText('{"a":1}')).length, 0);
    assert.is(elementsOf(new JsonText(' [ ] ')).length, 0);
  });

  test('reads fields by kind', () => {
    const fields = new Fields(
      new JsonText('{"text":"a","count":3,"nil":null,"list":[1,2],"in":{"x":"y"}}'),
    );
    assert.is(fields.text('text'), 'a');
    assert.is(fields.text('count'), null);
    assert.is(fields.text('nil'), null);
    assert.is(fields.number('count'), 3);
    assert.is(fields.number('none'), 0);
    assert.equal(
      fields.list('list').map((item) => item.text),
      ['1', '2'],
    );
    assert.is(fields.object('in')?.required('x'), 'y');
    assert.equal(Object.keys(fields.except(['text', 'list', 'in'])), ['count', 'nil']);
    assert.throws(() => fields.required('count'), /lacks count/);
  });

  test('takes a value of many megabytes in small chunks', () => {
    const text = `{"a":"${'x'.repeat(8_000_000)}"}`;
    const chunks = Array.from({ length: Math.ceil(text.length / 4096) }, (_, index) =>
      text.slice(index * 4096, (index + 1) * 4096),
    );
    assert.is(split(chunks, 1)[0]?.[1].length, 8_000_002);
  });
});
