import assert from 'node:assert/strict'
import { test } from 'node:test'
import webhook from '#providers/webhook.ts'
import { openParser, refusedCode, wrongCode } from './parse.ts'

const parseCode = openParser()
const teamId = 'team_a'
const parse = (code: string, ...names: string[]) => parseCode({ teamId, code, names })

test('code is parsed for each name: whether it defines a function of it, and where its syntax is wrong', async () => {
  assert.deepEqual(await parse('async process() { return 1 }', 'process', 'tag'), [
    { name: 'process', isDefined: true },
    { name: 'tag', isDefined: false, bad: { message: "Unexpected identifier 'process'", line: 1, column: 7 } },
  ])
  assert.deepEqual(await parse('const tag = 1', 'process', 'tag'), [
    { name: 'process', isDefined: false },
    { name: 'tag', isDefined: true },
  ])
})

test('parsing runs nothing', async () => {
  const [parsed] = await parse('process.exit(7)\nfor (;;);\nasync function process() {}', 'process')
  assert.deepEqual(parsed, { name: 'process', isDefined: true })
})

/** A mebibyte of code that V8 reads for many seconds, several times over. */
const slow = `${'class A{m(){'.repeat(450)}${'x;'.repeat(500_000)}${'}}'.repeat(450)}`

test('code that takes too long to parse is given up, while the thread that asked goes on', async () => {
  let turns = 0
  const turning = setInterval(() => turns++, 1)
  const parsed = await openParser({ wallMs: 500 })({ teamId, code: slow, names: ['process'] })
  clearInterval(turning)
  assert.ok(parsed !== 'overloaded')
  assert.equal(parsed[0]?.bad?.isTooSlow, true)
  assert.ok(turns > 10, `${turns} turns`)
})

test('what comes while too much waits is turned away, and what waits is parsed', async () => {
  const full = openParser({ mostWaiting: 2 })
  const ask = { teamId, code: 'const tag = 1', names: ['tag'] }
  const parsed = await Promise.all([full(ask), full(ask), full(ask)])
  assert.deepEqual(
    parsed.map((each) => (each === 'overloaded' ? each : each[0]?.isDefined)),
    [true, true, 'overloaded'],
  )
  assert.notEqual(await full(ask), 'overloaded')
})

test('what is wrong with the code of a script is said without repeating any of it', async () => {
  const told = (code: string) => wrongCode(parseCode, teamId, webhook, { WEBHOOK_CODE: code })
  assert.deepEqual(await told('const token = "sekret"\nconst token = 2'), {
    variable: 'WEBHOOK_CODE',
    says: 'The code does not parse: line 2, column 7.',
  })
  assert.equal(await told('async process() {}'), undefined)
  assert.equal(await wrongCode(parseCode, teamId, {}, {}), undefined)
})

test('a preview of code that does not parse says so', async () => {
  const line = { provider: 'webhook', secrets: { WEBHOOK_CODE: 'async process( {' }, event: { eventName: 'PageView' } }
  const told = await refusedCode(line, { webhook }, parseCode, teamId)
  assert.ok(told && told !== 'overloaded')
  assert.deepEqual([told.error, told.requests], ['SECRET_REFUSED', []])
  assert.match(told.message!, /^WEBHOOK_CODE: The code does not parse: line 1/)
})
