import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createToken } from '../src/account/token.ts'
import type { ProgramDeps } from '../src/cli/cliDeps.ts'
import type { OperatorCall } from '../src/cli/operatorCall.ts'
import { runProgram } from '../src/cli/program.ts'
import { type Customer, callControl, makeCustomer, openTestControl } from './fake/testControl.ts'
import { makeEvent } from './fake/testEvents.ts'

const control = await openTestControl()
const folder = mkdtempSync(join(tmpdir(), 'aglet-cli-'))
after(async () => {
  await control.close()
  rmSync(folder, { recursive: true, force: true })
})
const live = await makeCustomer(control)
const tried = await makeCustomer(control, { environment: 'sandbox' })
const canary = 'canary-7f3a91'
const file = (name: string) => join(folder, name)
const read = (name: string) => readFileSync(file(name), 'utf8')
let origin: string

type Told = { code: number; out: string; error: string; operated: OperatorCall[] }

/** Runs one command line like a customer's machine, without a person at the terminal unless `answer` is set. */
async function run(
  words: string[],
  { input = '', answer, env = {} }: { input?: string; answer?: string; env?: Record<string, string> } = {},
): Promise<Told> {
  const told: Told = { code: 0, out: '', error: '', operated: [] }
  const never = async () => assert.fail('is not the operator')
  const deps: ProgramDeps = {
    version: '1.2.3',
    env: { XDG_CONFIG_HOME: folder, ...env },
    print(text) {
      told.out += text
    },
    printError(text) {
      told.error += text
    },
    readInput: async () => input,
    ask: async () => answer,
    async operate(call) {
      told.operated.push(call)
      return { result: { tagId: 'tag_1', tagUrl: 'http://a/t/tag_1' } }
    },
    serve: never,
    preview: never,
    simulate: never,
    doctor: never,
    init: never,
    backup: never,
    restore: never,
    importDeps: never,
  }
  told.code = await runProgram(words, deps)
  return told
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of any command
async function json<Answer = any>(...words: string[]): Promise<Answer> {
  const { code, out, error } = await run([...words, '--json'])
  assert.deepEqual([code, error, out.split('\n').length], [0, '', 2], words.join(' ') + error)
  return JSON.parse(out) as Answer
}

const login = ({ token }: Customer, path: string) =>
  run(['login', '--base-url', `${origin}${path}`, '--token', '-'], { input: `${token}\n` })

before(async () => {
  origin = await control.app.listen({ port: 0, host: '127.0.0.1' })
  assert.equal((await login(live, '/v1')).code, 0)
  assert.equal((await login(tried, '/sandbox/v1')).code, 0)
})

test('a profile is kept for each environment, and no list of them shows a token', async () => {
  const { out } = await run(['profile', 'list'])
  assert.match(out, /default {2}production/)
  assert.match(out, /default {2}sandbox/)
  assert.ok(!out.includes(live.token))
  const me = await json<{ environment: string; teamId: string }>('me', '--environment', 'sandbox')
  assert.deepEqual([me.environment, me.teamId], ['sandbox', tried.teamId])
})

test('a login with a token that is not good keeps nothing', async () => {
  const refused = await run(['login', '--base-url', `${origin}/v1`, '--token', tried.token, '--profile', 'bad'])
  assert.equal(refused.code, 1)
  assert.doesNotMatch((await run(['profile', 'list'])).out, /bad/)
})

test('the life of a script: made with its secrets sealed, read, changed field by field, paused, rolled back, deleted', async () => {
  const sink = ['--secret', 'EVENT_SINK_URL=https://a.example/in', '--secret-env', 'EVENT_SINK_SECRET=SINK']
  const words = ['script', 'create', '--tag', live.tagId, '--name', 'sink', '--provider', 'eventSink', ...sink]
  const made = await run([...words, '--json'], { env: { SINK: canary } })
  const { scriptId } = JSON.parse(made.out)

  await json('script', 'update', scriptId, '--geo-regions', 'EU')
  const script = await json<Record<string, unknown>>('script', 'get', scriptId)
  assert.deepEqual([script.name, script.geoRegions], ['sink', 'EU'])
  assert.match(JSON.stringify(script.secrets), /"EVENT_SINK_SECRET":\{[^}]*"isSet":true/)
  assert.equal((await run(['script', 'update', scriptId, '--geo-regions', ''])).out, `Updated script ${scriptId}.\n`)
  assert.equal((await json('script', 'get', scriptId)).geoRegions, undefined)

  assert.equal((await json('script', 'pause', scriptId)).paused, true)
  assert.equal((await json('script', 'resume', scriptId)).paused, false)
  const [first] = (await json<{ deployments: { number: number }[] }>('deployment', 'list', live.tagId)).deployments
  const back = await json<{ number: number; activates: number }>('rollback', live.tagId)
  assert.deepEqual([back.number, back.activates], [first!.number + 1, first!.number - 1])
  assert.equal((await json('rollback', live.tagId, '--to', '1')).activates, 1)

  const { out } = await run(['script', 'list', '--tag', live.tagId])
  assert.match(out, new RegExp(`^scriptId .*\n${scriptId} +sink +eventSink`))
  await control.environments.production.store.journal.pause({
    ...{ scriptId, tagId: live.tagId, reason: 'keyRejected', times: 1, secrets: '{}' },
    ...{ since: Date.UTC(2026, 10, 20), until: Date.UTC(2026, 10, 21) },
  })
  const stopped = /keyRejected since 2026-11-20T00:00:00.000Z, next try 2026-11-21/
  assert.match((await run(['script', 'list', '--tag', live.tagId])).out, stopped)
  assert.match((await run(['script', 'get', scriptId])).out, stopped)
  assert.match((await run(['deployment', 'list', live.tagId])).out, /added sink/)
  assert.equal((await run(['script', 'delete', scriptId])).out, `Deleted script ${scriptId}.\n`)
  const gone = await run(['script', 'delete', scriptId])
  assert.deepEqual([gone.code, gone.error], [1, 'Script not found.\n'])
})

test('a new key after a roll-back, from standard input, publishes the key alone and names what is not live', async () => {
  const sink = ['--secret', 'EVENT_SINK_URL=https://a.example/in']
  const { scriptId } = await json(
    'script',
    'create',
    '--tag',
    live.tagId,
    '--name',
    'key',
    '--provider',
    'eventSink',
    ...sink,
  )
  await json('script', 'update', scriptId, '--geo-regions', 'EU')
  await json('rollback', live.tagId)
  const rotated = await run(['script', 'update', scriptId, '--secret', 'EVENT_SINK_SECRET=-'], { input: `${canary}\n` })
  assert.deepEqual([rotated.code, rotated.out], [0, `Updated script ${scriptId}.\n`])
  assert.match(rotated.error, /^Not live yet: geoRegions\. aglet draft/)
  const { scripts } = control.environments.production.snapshots.get(live.tagId)!
  const deployed = scripts.find((script) => script.scriptId === scriptId)!
  assert.deepEqual(
    [deployed.geoRegions, Object.keys(deployed.secrets).sort()],
    [undefined, ['EVENT_SINK_SECRET', 'EVENT_SINK_URL']],
  )
  await json('draft', 'discard', live.tagId)
  assert.equal((await json('script', 'get', scriptId)).geoRegions, undefined)
  await json('script', 'delete', scriptId)
})

test('a draft is saved and not deployed until the tag is', async () => {
  const sink = ['--secret', 'EVENT_SINK_URL=https://a.example/in']
  const words = ['--tag', live.tagId, '--name', 'draft', '--provider', 'eventSink', ...sink]
  const before = control.environments.production.snapshots.get(live.tagId)
  const { scriptId } = await json('script', 'create', ...words, '--draft')
  assert.equal(control.environments.production.snapshots.get(live.tagId), before)
  await json('deploy', live.tagId)
  assert.notEqual(control.environments.production.snapshots.get(live.tagId), before)
  await json('script', 'delete', scriptId)
})

test('tags, hooks, events and the audit are read and written by the same rules', async () => {
  const { tagId } = await json('tag', 'create', '--name', 'second', '--domain', 'b.example', '--gpc')
  const tag = await json<Record<string, unknown>>('tag', 'update', tagId, '--no-gpc', '--consent', 'disabled')
  assert.deepEqual([tag.gpc, tag.consent, tag.name], [false, 'disabled', 'second'])
  await makeEvent(control, live, 'order 1/2')
  assert.equal((await json('event', 'get', live.tagId, 'order 1/2')).eventId, 'order 1/2')
  assert.match((await run(['event', 'list', live.tagId])).out, /order 1\/2 +Purchase/)
  const first = await run(['audit', '--limit', '2'])
  assert.match(first.out, /^at +by +what/)
  const next = /--cursor (\S+)/.exec(first.error)![1]!
  assert.notEqual((await run(['audit', '--limit', '2', '--cursor', next])).out, first.out)
  assert.deepEqual(await json('tag', 'delete', tagId), { tagId })
})

test('a tag is made by the operator where a team and no address is named', async () => {
  const words = ['tag', 'create', '--name', 'shop', '--domain', 'a.example']
  const { operated, out } = await run([...words, '--team', 'team_9', '--json'])
  assert.deepEqual(operated[0]?.input, { team: 'team_9', name: 'shop', domain: 'a.example' })
  assert.equal(JSON.parse(out).tagId, 'tag_1')
  assert.equal((await run([...words, '--team', 'team_9', '--gpc'])).code, 2)
})

test('what is refused is told in the words of the API: 2 for what was asked wrongly, 1 for what cannot be done', async () => {
  const code = ['--provider', 'webhook', '--name', 'hook', '--secret', 'WEBHOOK_CODE=async function process() {(']
  const unread = await run(['script', 'create', '--tag', live.tagId, ...code])
  assert.deepEqual([unread.code, /^WEBHOOK_CODE: The code does not parse: line 1/.test(unread.error)], [2, true])
  for (const [code, says, ...words] of [
    [
      2,
      /geoRegions/,
      'script',
      'create',
      '--tag',
      live.tagId,
      '--name',
      'x',
      '--provider',
      'eventSink',
      '--geo-regions',
      'Atlantis',
    ],
    [
      2,
      /did you mean EVENT_SINK_URL/,
      'script',
      'create',
      '--tag',
      live.tagId,
      '--name',
      'x',
      '--provider',
      'eventSink',
      '--secret',
      'EVENT_SINK_ULR=a',
    ],
    [2, /blank/, 'policy', 'get', ' '],
    [2, /choices|Allowed/, 'tag', 'update', live.tagId, '--consent', 'perhaps'],
    [2, /Did you mean klaviyo\?/, 'script', 'create', '--name', 'a', '--tag', live.tagId, '--provider', 'klavio'],
    [1, /Script or tag not found/, 'script', 'get', 'scr_nope'],
    [1, /Tag not found/, 'deploy', tried.tagId],
  ] as [number, RegExp, ...string[]][]) {
    const told = await run(words)
    assert.equal(told.code, code, `${words.join(' ')}: ${told.error}`)
    assert.match(told.error, says)
    assert.equal(told.out, '')
    assert.equal(told.error.split('\n').length, 2)
  }
})

const config = (geoRegions: string) => `
tags:
  - name: as code
    domain: shop.example.com
    scripts:
      - name: sink
        providerId: eventSink
        geoRegions: ${geoRegions}
        secrets:
          EVENT_SINK_URL: https://a.example/in
          EVENT_SINK_SECRET: { env: SINK }
`
const env = { SINK: canary }

test('a file is planned, applied once, and differs in nothing afterwards, without the secret at hand', async () => {
  writeFileSync(file('a.yaml'), config('EU'))
  const words = ['--file', file('a.yaml')]
  for (const command of [['plan'], ['apply', '--yes']]) {
    const { code, error } = await run([...command, ...words])
    assert.deepEqual([code, /EVENT_SINK_SECRET: the environment variable SINK is not set/.test(error)], [2, true])
  }
  const planned = await run(['plan', ...words], { env })
  assert.match(planned.out, /\+ tag as code\n.*[\s\S]*\+ script as code \/ sink[\s\S]*2 changes\./)
  assert.equal((await run(['plan', ...words, '--check'], { env })).code, 3)
  assert.equal((await run(['apply', ...words, '--yes'], { env })).code, 0)
  assert.match((await run(['plan', ...words])).out, /Nothing differs\.\n$/)
  assert.equal((await run(['plan', ...words, '--check'])).code, 0)
  const { changes } = await json<{ changes: unknown[] }>('apply', ...words)
  assert.deepEqual(changes, [])
})

test('a change is shown before it is made, and made only when somebody says yes', async () => {
  writeFileSync(file('b.yaml'), config('EU,US'))
  const words = ['apply', '--file', file('b.yaml')]
  assert.equal((await run(words)).code, 2)
  const refused = await run(words, { answer: 'no' })
  assert.deepEqual([refused.code, refused.error], [1, 'Nothing was changed.\n'])
  assert.match(refused.out, /geoRegions: EU → EU,US/)
  assert.equal((await run(words, { answer: 'yes' })).code, 0)
  assert.match((await run(words)).out, /Nothing differs/)
})

test('secrets are sealed anew when it is told, and scripts that the file does not name go', async () => {
  writeFileSync(file('c.yaml'), config('EU').replace('name: sink', 'name: other'))
  const words = ['apply', '--file', file('c.yaml'), '--yes', '--prune', '--json']
  const { out } = await run(words, { env })
  const done = (JSON.parse(out) as { changes: { does: string; script: string }[] }).changes
  assert.deepEqual(
    done.map(({ does, script }) => [does, script]),
    [
      ['deleteScript', 'sink'],
      ['createScript', 'other'],
    ],
  )
  const again = await run([...words, '--secrets'], { env })
  assert.deepEqual(JSON.parse(again.out).changes[0].differences, [
    { field: 'secrets.EVENT_SINK_SECRET', from: '(set)', to: '(sealed)' },
  ])
})

test('what was tried in the sandbox is promoted to production by the same file', async () => {
  writeFileSync(file('d.yaml'), config('US').replace('as code', 'promoted'))
  const sandbox = ['--environment', 'sandbox']
  assert.equal((await run(['apply', '--file', file('d.yaml'), '--yes', ...sandbox], { env })).code, 0)
  const pulled = await run(['pull', '--file', file('pulled.yaml'), ...sandbox])
  assert.deepEqual([pulled.code, pulled.out], [0, ''])
  assert.match(read('pulled.yaml'), /EVENT_SINK_SECRET:\n +env: EVENT_SINK_SECRET\n/)
  assert.match((await run(['plan', '--file', file('pulled.yaml'), ...sandbox])).out, /Nothing differs/)
  const words = ['apply', '--file', file('pulled.yaml'), '--yes']
  assert.equal((await run(words, { env: { EVENT_SINK_SECRET: canary } })).code, 0)
  const { tags } = await json<{ tags: { name: string }[] }>('tag', 'list')
  assert.ok(tags.some(({ name }) => name === 'promoted'))
})

test('what is refused is refused by plan, with the names of the file, and apply changes nothing of the tag', async () => {
  const other = `
      - name: bad
        providerId: eventSink
        consentCategory: telepathy
        secrets: { EVENT_SINK_URL: "https://127.0.0.1/in" }
`
  writeFileSync(file('e.yaml'), config('EU,XX').replace('as code', 'half') + other.slice(1))
  const words = ['--file', file('e.yaml')]
  for (const command of [['plan'], ['apply', '--yes']]) {
    const { code, error } = await run([...command, ...words], { env })
    assert.equal(code, 2, error)
    assert.match(error, /half \/ sink, geoRegions: .*XX/)
    assert.match(error, /half \/ bad, consentCategory: is not allowed for this provider/)
  }
  assert.ok(!(await json<{ tags: { name: string }[] }>('tag', 'list')).tags.some(({ name }) => name === 'half'))
  writeFileSync(file('e.yaml'), read('e.yaml').replace('telepathy', 'analytics').replace(',XX', ''))
  const address = await run(['plan', ...words], { env })
  assert.match(address.error, /half \/ bad: EVENT_SINK_URL: .*address/)
  writeFileSync(file('e.yaml'), read('e.yaml').replace('127.0.0.1', 'a.example'))
  const rest = await run(['apply', ...words, '--yes', '--json'], { env })
  assert.equal(JSON.parse(rest.out).changes.length, 3, rest.error)
})

test('a deploy hook that refuses leaves the tag as it was, and apply says how many tags were changed', async () => {
  const call = (id: 'createHook' | 'deleteHook', asked: object) => callControl(control, id, live, asked)
  const { hookId } = (await call('createHook', { body: { url: 'https://ci.example.com/' } })).body
  const { answer } = control.hooks
  control.hooks.answer = { status: 500, headers: {}, body: 'not on Fridays', durationMs: 1 }
  const words = ['apply', '--file', file('e.yaml'), '--yes']
  writeFileSync(file('e.yaml'), read('e.yaml').replace('geoRegions: EU', 'geoRegions: US'))
  const refused = await run(words, { env })
  control.hooks.answer = answer
  await call('deleteHook', { values: { hookId: String(hookId) } })
  assert.equal(refused.code, 1)
  assert.match(refused.error, /0 of 1 tags were changed; half was not\. .*https:\/\/ci\.example\.com/)
  const { changes } = JSON.parse((await run(['plan', '--file', file('e.yaml'), '--json'], { env })).out)
  assert.deepEqual(changes, [
    { does: 'updateScript', tag: 'half', script: 'sink', differences: [{ field: 'geoRegions', from: 'EU', to: 'US' }] },
  ])
})

test('plan says which scopes the token lacks, and apply makes no change without them', async () => {
  const reader = await createToken(
    control.environments.production,
    { teamId: live.teamId, scopes: ['manifest:read', 'tag:read', 'script:read'] },
    'operator',
  )
  const words = ['--file', file('e.yaml'), '--base-url', `${origin}/v1`, '--token', reader.token, '--team', live.teamId]
  const planned = await run(['plan', ...words], { env })
  assert.deepEqual(
    [planned.code, /lacks scopes that aglet apply needs: tag:write, script:write/.test(planned.error)],
    [0, true],
  )
  const applied = await run(['apply', ...words, '--yes'], { env })
  assert.deepEqual([applied.code, /Nothing was changed/.test(applied.error)], [1, true])
})

test('a configuration comes from standard input too', async () => {
  const input = config('EU').replace('as code', 'from here')
  const { out, code } = await run(['plan', '--file', '-'], { input, env })
  assert.deepEqual([code, out.includes('+ tag from here')], [0, true])
})

test('no secret stands in what was printed, kept or logged', async () => {
  const pulled = await run(['pull'])
  assert.ok(!pulled.out.includes(canary))
  assert.ok(!JSON.stringify(control.lines).includes(canary))
})

test('the shell is offered commands, options and choices', async () => {
  const { code, error } = await run(['completion', 'tcsh'])
  assert.equal(code, 2)
  assert.match(error, /zsh, bash, fish/)
})
