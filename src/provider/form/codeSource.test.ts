import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { definesFunction, parseSource } from './codeSource.ts'

const run = (code: string, name = 'process') => {
  const source = parseSource(code, name)
  assert.ok('text' in source, JSON.stringify(source))
  return runInNewContext(source.text)
}

test('a declared function is found among whatever else the code holds', () => {
  assert.equal(run('const a = 1\nasync function process(params) { return a }').name, 'process')
  assert.equal(run('const process = async () => 1').name, 'process')
  assert.equal(run('async function process() {} // the end').name, 'process')
})

test('the bare form is a function as well, comments in front of it or behind', () => {
  for (const code of [
    'async process(params) { return 1 }',
    '// mine\n/* and\nyours */ async process(params) {\n}\n// end',
    'process() {}',
  ])
    assert.equal(run(code).name, 'process')
  assert.equal(run('async tag({event}) {}', 'tag').name, 'tag')
})

test('code that defines no such function gives undefined', () => {
  assert.equal(run('const other = 1'), undefined)
})

test('a syntax error is reported with line and column of the original code', () => {
  const places = [
    ['async function process() {\n  return 1 +\n}', 3, 1],
    ['async process() {\n  const 1 = 2\n}', 2, 9],
    ['async process() { return ( }', 1, 28],
    ['async function process() { return ( }', 1, 37],
    ['async function process() {', 1, 27],
    ['let a\nlet a', 2, 5],
  ] as const
  for (const [code, line, column] of places) {
    const bad = parseSource(code, 'process')
    assert.ok('message' in bad, code)
    assert.deepEqual([bad.line, bad.column], [line, column], code)
  }
})

test('code of more than 1 MiB is refused before it is parsed', () => {
  assert.ok('message' in parseSource(' '.repeat(1024 * 1024 + 1), 'process'))
  assert.ok('text' in parseSource(`${' '.repeat(1024 * 1000)}async process() {}`, 'process'))
})

test('code nested without end is an error, not an end of ours', () => {
  assert.ok('message' in parseSource('['.repeat(500_000), 'process'))
})

test('the function that code defines is known without running the code', () => {
  for (const code of [
    'async function process() {}',
    'const a = 1; const process = async () => a // end',
    'class process {}',
    '// mine\nasync process({ request }) { return request..x }',
  ])
    assert.deepEqual([definesFunction(code, 'process'), definesFunction(code, 'tag')], [true, false], code)
  for (const code of ['tag()', 'function tag() { function process() {} }', 'function process( {', 'throw process'])
    assert.equal(definesFunction(code, 'process'), false, code)
})

test('code that begins with a line of slashes is read in time that grows with its length alone', () => {
  for (const divider of [
    '/'.repeat(1_000_000),
    '/* */'.repeat(200_000),
    '// a\n'.repeat(200_000),
    '/*'.repeat(500_000),
  ])
    assert.equal(definesFunction(divider, 'process'), false)
  const divided = `${'/'.repeat(80)}\n/* **/ /**/ // mine\nasync process() { return 1 }`
  assert.equal(run(divided).name, 'process')
})

test('a comment that does not end is no beginning of a method', () => {
  assert.ok('message' in parseSource('/* async process() {}', 'process'))
  assert.equal(definesFunction('/* async process() {}', 'process'), false)
})
