import assert from 'node:assert/strict'
import { test } from 'node:test'
import webhook from '#providers/webhook.ts'
import { findCodeIssue, openParser, refuseBadPreviewCode } from './parseCode.ts'

const parseCode = openParser()
const teamId = 'team_a'
const parse = (code: string, ...names: string[]) => parseCode({ teamId, code, names })

test('parsing gives for each name whether the code defines a function, and the position of a syntax error', async () => {
  assert.deepEqual(await parse('async process() { return 1 }', 'process', 'tag'), [
    { name: 'process', isDefined: true },
    { name: 'tag', isDefined: false, bad: { message: "Unexpected identifier 'process'", line: 1, column: 7 } },
  ])
  assert.deepEqual(await parse('const tag = 1', 'process', 'tag'), [
    { name: 'process', isDefined: false },
    { name: 'tag', isDefined: true },
  ])
})

test('parsing does not run the code', async () => {
  const [parsed] = await parse('process.exit(7)\nfor (;;);\nasync function process() {}', 'process')
  assert.deepEqual(parsed, { name: 'process', isDefined: true })
})

/** About 1 MiB of code that V8 parses for many seconds. */
const slow = `${'class A{m(){'.repeat(450)}${'x;'.repeat(500_000)}${'}}'.repeat(450)}`

test('parsing that takes too long is stopped, and does not block the event loop', async () => {
  let turns = 0
  const counter = setInterval(() => turns++, 1)
  const parsed = await openParser({ wallMs: 500 })({ teamId, code: slow, names: ['process'] })
  clearInterval(counter)
  assert.ok(parsed !== 'overloaded')
  assert.equal(parsed[0]?.bad?.isTooSlow, true)
  assert.ok(turns > 10, `${turns} turns`)
})

test('a request beyond the limit of waiting ones is refused, and the waiting ones are parsed', async () => {
  const full = openParser({ maxWaiting: 1 })
  const request = { teamId, code: 'const tag = 1', names: ['tag'] }
  const parsed = await Promise.all([full(request), full(request), full(request)])
  assert.deepEqual(
    parsed.map((each) => (each === 'overloaded' ? each : each[0]?.isDefined)),
    [true, true, 'overloaded'],
  )
  assert.notEqual(await full(request), 'overloaded')
})

test('a team whose code takes long to parse leaves room for another, whose code is neither refused nor delayed by more than one', async () => {
  const shared = openParser({ maxWaiting: 3, parallel: 2, wallMs: 60_000 })
  const asked = (team: string, text: string) => shared({ teamId: team, code: text, names: ['tag'] })
  const ended: string[] = []
  const slowOnes = Array.from({ length: 4 }, () =>
    asked('team_slow', slow.slice(0, 200_000)).then(() => ended.push('slow')),
  )
  assert.equal(await asked('team_slow', 'const tag = 1'), 'overloaded')
  const parsed = await asked('team_quick', 'const tag = 1')
  ended.push('quick')
  await Promise.all(slowOnes)
  assert.ok(parsed !== 'overloaded' && ended.indexOf('quick') <= 1, ended.join())
})

test('the issue of a script’s code repeats none of the code', async () => {
  const issueOf = (code: string) => findCodeIssue(parseCode, teamId, webhook, { WEBHOOK_CODE: code })
  assert.deepEqual(await issueOf('const token = "sekret"\nconst token = 2'), {
    variable: 'WEBHOOK_CODE',
    says: 'The code does not parse: line 2, column 7.',
    place: { line: 2, column: 7 },
  })
  assert.equal(await issueOf('async process() {}'), undefined)
  assert.equal(await findCodeIssue(parseCode, teamId, {}, {}), undefined)
})

test('code that does not define its function is refused', async () => {
  const issue = await findCodeIssue(openParser(), 'team_1', webhook, {
    WEBHOOK_CODE: 'async function proces(params) {}',
  })
  assert.deepEqual(issue, {
    variable: 'WEBHOOK_CODE',
    says: 'The code does not define a function process: write async function process(params) {…}.',
  })
  for (const WEBHOOK_CODE of ['async process(params) {}', 'const process = async () => new Response()'])
    assert.equal(await findCodeIssue(openParser(), 'team_1', webhook, { WEBHOOK_CODE }), undefined)
})

test('a preview of code that does not parse has an error', async () => {
  const line = { provider: 'webhook', secrets: { WEBHOOK_CODE: 'async process( {' }, event: { eventName: 'PageView' } }
  const issue = await refuseBadPreviewCode(line, { webhook }, parseCode, teamId)
  assert.ok(issue && issue !== 'overloaded')
  assert.deepEqual([issue.error, issue.requests], ['SECRET_REFUSED', []])
  assert.match(issue.message!, /^WEBHOOK_CODE: The code does not parse: line 1/)
})
