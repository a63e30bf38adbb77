import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorObject, fault } from '#contract/fault.ts'
import type { Settings } from '#settings/settings.ts'
import type { DoctorFinding, OperatorCall, OperatorOutcome } from './operatorCall.ts'
import { type ProgramDeps, runProgram } from './program.ts'

type Given = { env?: Record<string, string>; outcome?: OperatorOutcome; findings?: DoctorFinding[]; input?: string }

/** Runs one command line with dependencies that record their calls. */
async function run(
  line: string | string[],
  { env = {}, outcome = { result: {} }, findings = [], input = '' }: Given = {},
) {
  const seen = { out: '', error: '', calls: [] as OperatorCall[], served: [] as Settings[] }
  const deps: ProgramDeps = {
    version: '1.2.3',
    env,
    print: (text) => {
      seen.out += text
    },
    printError: (text) => {
      seen.error += text
    },
    readInput: async () => input,
    ask: async () => undefined,
    serve: async (settings) => void seen.served.push(settings),
    async operate(call) {
      seen.calls.push(call)
      return outcome
    },
    preview: async () => {},
    simulate: async () => !input.includes('throws'),
    doctor: async () => findings,
    init: async () => ({ data: '/srv/aglet' }),
    backup: async (request) => request,
    restore: async (request) => request,
    importDeps: async () => ({ catalogue: new Map(), regexIssue: () => undefined }),
  }
  const code = await runProgram(Array.isArray(line) ? line : line.split(' '), deps)
  return { ...seen, code }
}

const isOneSentence = (text: string) => assert.match(text, /^[^\n]+\n$/)

test('an operator command is called with its words, environment and input', async () => {
  const result = { teamId: 'team_1' }
  const { code, calls, out } = await run('team create --name Shop --environment sandbox', { outcome: { result } })
  assert.equal(code, 0)
  assert.deepEqual(calls, [{ command: 'team create', environment: 'sandbox', input: { name: 'Shop' } }])
  assert.equal(out, 'Created team team_1.\n')
})

test('simulate exits with 1 where the code failed', async () => {
  assert.equal((await run('simulate', { input: 'works' })).code, 0)
  assert.equal((await run('simulate', { input: 'throws' })).code, 1)
})

test('backup and restore pass on their file and their flags', async () => {
  const { out } = await run('backup /b.tar --with-root-key --json --data /d')
  assert.deepEqual(JSON.parse(out), { file: '/b.tar', withRootKey: true })
  assert.deepEqual(JSON.parse((await run('restore /b.tar --json')).out), { file: '/b.tar' })
  assert.equal((await run('restore')).code, 2)
})

test('with --json standard output holds one JSON value and nothing else', async () => {
  const result = { token: 'aglet_live_x', tokenId: 'tok_1' }
  const { out, error } = await run('token create --team team_1 --json', { outcome: { result } })
  assert.deepEqual(JSON.parse(out), result)
  assert.equal(out.split('\n').length, 2)
  assert.equal(error, '')
})

test('init says where the data directory is and what to do next', async () => {
  const { code, out } = await run('init --data /srv/aglet')
  assert.deepEqual(
    [code, out],
    [0, 'The data directory /srv/aglet exists. Start the server with: aglet serve --data /srv/aglet\n'],
  )
})

test('the help lists every command under a heading, and no negated flag', async () => {
  const { out } = await run('--help')
  const [, after] = out.split(/^Commands:$/m)
  assert.deepEqual(after?.match(/^ {2}(?!help)\w+/gm) ?? [], [], 'no command is left without a heading')
  assert.match(out, /^Events and deliveries:\n {2}\w+[\s\S]*^ {2}event /m)
  assert.doesNotMatch((await run('tag update --help')).out, /--no-/)
})

test('wrong usage is one sentence on standard error and exit code 2', async () => {
  for (const line of [
    'team create', // no name
    'team create --name A --nmae B',
    'team create --name A extra',
    'team create --name A --environment staging',
    'tokn create',
    'serve --prot 1',
    'secret seal --base-url a --token b --team c --provider eventSink --variable e --type STRING --value g',
    'secret seal --base-url a --token b --team c --provider eventsnik --variable e --type TEXT --value g',
  ]) {
    const { code, out, error } = await run(line)
    assert.equal(code, 2, line)
    assert.equal(out, '', line)
    isOneSentence(error)
  }
})

test('the error of a mistyped flag or command suggests the nearest one', async () => {
  assert.match((await run('serve --prot 1')).error, /--port/)
  assert.match((await run('tokn create')).error, /token/)
  assert.match(
    (await run('secret seal --base-url a --token b --team c --provider eventsink --variable e --type TEXT --value g'))
      .error,
    /eventSink/,
  )
})

test('without a command the help is printed with exit code 2, and --help exits with 0', async () => {
  for (const line of [[], ['token']]) {
    const { code, out, error } = await run(line)
    assert.deepEqual([code, out], [2, ''])
    assert.match(error, /Usage: aglet/)
  }
  const help = await run('--help')
  assert.equal(help.code, 0)
  assert.match(help.out, /^ {2}serve[\s\S]*^ {2}team/m)
  assert.deepEqual(await run('--version').then(({ code, out }) => [code, out]), [0, '1.2.3\n'])
})

test('a bad setting is one sentence and exit code 2 for every command', async () => {
  for (const line of ['serve --port abc', 'serve --host 0.0.0.0']) {
    const { code, error } = await run(line)
    assert.equal(code, 2)
    isOneSentence(error)
  }
  for (const line of ['serve', 'team create --name A', 'doctor'])
    assert.equal((await run(line, { env: { AGLET_PROT: '1' } })).code, 2, line)
})

test('the flags of serve are settings and override the environment', async () => {
  const { served, code } = await run('serve --port 5000 --allow-private-destinations --role edge', {
    env: { AGLET_PORT: '6000', AGLET_BRAND: 'Shop' },
  })
  assert.equal(code, 0)
  const [{ port, brand, allowPrivateDestinations, role }] = served as [Settings]
  assert.deepEqual([port, brand, allowPrivateDestinations, role], [5000, 'Shop', true, 'edge'])
})

test('a refused command has exit code 2 for a 400, and 1 for any other status', async () => {
  const issues = [{ path: 'expires', message: 'write 30m, 12h or 90d' }]
  const wrong = await run('token create --team t --expires x', {
    outcome: { refused: errorObject(fault('badRequest', { attributes: { issues } })) },
  })
  assert.deepEqual([wrong.code, wrong.out, wrong.error], [2, '', 'expires: write 30m, 12h or 90d.\n'])
  const missing = await run('token revoke --id tok_1 --json', {
    outcome: { refused: errorObject(fault('tagUnknown')) },
  })
  assert.deepEqual([missing.code, missing.out, missing.error], [1, '', 'Tag not found.\n'])
  const scope = await run('token revoke --id tok_1', {
    outcome: { refused: errorObject(fault('scopeMissing', { attributes: { missing: ['event:read', 'tag:read'] } })) },
  })
  assert.equal(
    scope.error,
    'The access token or the signed-in person’s role lacks a scope that this operation needs (missing: event:read, tag:read).\n',
    'the attributes of an error are shown',
  )
})

test('the doctor prints its findings, and has exit code 1 when one is bad', async () => {
  const findings = [
    { name: 'root key', ok: true, message: 'mode 400' },
    { name: 'server', ok: false, message: 'not ready' },
  ]
  const result = await run('doctor', { findings })
  assert.deepEqual([result.code, result.out], [1, 'ok   root key: mode 400\nBAD  server: not ready\n'])
  const json = await run('doctor --json', { findings: findings.slice(0, 1) })
  assert.deepEqual([json.code, JSON.parse(json.out)], [0, { ok: true, checks: findings.slice(0, 1) }])
})

test('sealing without an answering server is one sentence and exit code 1', async () => {
  const line =
    'secret seal --base-url http://127.0.0.1:1/v1 --token b --team c --provider eventSink --variable e --type TEXT --value g'
  const { code, error, out } = await run(line)
  assert.deepEqual([code, out], [1, ''])
  isOneSentence(error)
  assert.match(error, /127\.0\.0\.1:1/)
})
