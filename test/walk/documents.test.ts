import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse as parseYaml } from 'yaml'
import {
  type Aglet,
  type Customer,
  call,
  freePort,
  makeCustomer,
  makeScript,
  sinkAt,
  startAglet,
  stopAglet,
  until,
} from '../fake/aglet.ts'
import { secretsOf, sendEvents, shopEvent } from '../fake/dashboard.ts'
import { openVendor, type Vendor } from '../fake/vendor.ts'
import { blockOf, fill, pageText, root } from './blocks.ts'
import { openReader, type Printed } from './reader.ts'

/**
 * The commands of the documents that no other suite runs, typed unchanged: `coverage.test.ts` lists which suite runs which
 * block.
 */
const data = mkdtempSync(join(tmpdir(), 'aglet-walk-docs-'))
const reader = openReader(data)
let aglet: Aglet
let vendors: ChildProcess
let vendorsUrl: string
let sink: Vendor
let shop: Customer

const done = (printed: Printed): string => {
  assert.equal(printed.code, 0, printed.error + printed.out)
  return printed.out
}
const type = async (...words: Parameters<typeof reader.type>) => done(await reader.type(...words))
const token = () => ({ TOKEN: shop.token, BASE_URL: shop.baseUrl, TEAM_ID: shop.teamId, TAG_ID: shop.tagId })
const login = 'aglet login --base-url https://aglet.example.com/v1 --token -'
const day = (shift: number) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10)

const vendorLines = blockOf('docs/vendors.md', 'npm run vendors')

before(async () => {
  const port = await freePort()
  const [line] = vendorLines.split('#') as [string]
  vendors = spawn('sh', ['-c', `exec ${line.trim()} -- --port ${port}`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  vendorsUrl = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(vendorsUrl).catch(() => undefined))?.ok ?? false)
  sink = await openVendor()
  const setting = /(AGLET_VENDORS_URL)=http:\/\/127\.0\.0\.1:4100 npm start/.exec(vendorLines)![1]!
  const environment = { [setting]: vendorsUrl, AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_RATE_LIMIT: '100000' }
  aglet = await startAglet({ data, port: await freePort(), environment })
  shop = await makeCustomer(aglet, 'www.shop.example')
  const [first] = blockOf('docs/operating.md', login).split('\n') as [string]
  await type(fill(first, { 'https://aglet.example.com': aglet.origin }), { input: `${shop.token}\n` })
})
after(async () => {
  await stopAglet(aglet)
  await sink.close()
  vendors.kill('SIGTERM')
  rmSync(data, { recursive: true, force: true })
})

test('docs/operating.md: the doctor finds nothing, the help lists the commands', async () => {
  const lines = blockOf('docs/operating.md', 'npm start').split('\n').slice(1).join('\n')
  const out = await type(lines, { inClone: true })
  assert.match(out, /ok {3}server: running and ready/)
  assert.match(out, /Events and deliveries:/)
})

test('docs/operating.md: a login is kept, and scripts are listed with it and without', async () => {
  const [, list, ofSandbox, without] = blockOf('docs/operating.md', login).split('\n') as string[]
  await makeScript(shop, 'eventSink', 'warehouse', sinkAt(`${sink.url}/in`))
  assert.match(await type(fill(list!, { 'tag_…': shop.tagId })), /warehouse +eventSink/)
  const tried = await makeCustomer(aglet, 'Tried', 'sandbox')
  await makeScript(tried, 'eventSink', 'tried', sinkAt(`${sink.url}/in`))
  await type(`aglet login --base-url ${aglet.origin}/sandbox/v1 --token -`, { input: tried.token })
  assert.match(await type(fill(ofSandbox!, { 'tag_…': tried.tagId })), /tried +eventSink/)
  writeFileSync(join(reader.folder, 'token.txt'), shop.token)
  const own = { 'tag_…': shop.tagId, '--base-url …': `--base-url ${shop.baseUrl}` }
  assert.match(await type(fill(without!, own)), /warehouse/)
})

test('docs/operating.md: the shell is taught the commands', async () => {
  const lines = blockOf('docs/operating.md', 'source <(aglet completion bash)')
  // Checks the script's output, because no other shell is installed to read it.
  const out = await type(fill(lines, { '| source': '| head -c 200' }))
  assert.match(out, /fish|complete/)
})

test('docs/accounts.md: a person is invited, signs up and in, joins another team, changes the e-mail, signs out', async () => {
  const invite = async (customer: Customer) =>
    (await call<{ url: string }>(customer, 'POST', '/invitation', { role: 'editor' })).body.url
  const api = { '{base_url}/': `${shop.baseUrl}/` }
  const invitation = '{base_url}/account/invitation/…'
  const up = blockOf('docs/accounts.md', 'curl {base_url}/person -H')
  const { person } = JSON.parse(await type(fill(up, { [invitation]: await invite(shop), ...api })))
  assert.equal(person.email, 'jane@example.com')
  const [signIn, read] = blockOf('docs/accounts.md', 'curl {base_url}/session -H').split('\n') as [string, string]
  const { session } = JSON.parse(await type(fill(signIn, api)))
  assert.equal(JSON.parse(await type(fill(read, { ...api, '<session>': session }))).person.name, 'Jane Doe')

  const [join, change, confirm, out] = blockOf('docs/accounts.md', 'curl {base_url}/invitation/accept')
    .replaceAll('\\\n', '')
    .trim()
    .split('\n') as [string, string, string, string]
  const other = await makeCustomer(aglet, 'Another team')
  const bearer = { ...api, '<session>': session }
  await type(fill(join, { [invitation]: await invite(other), ...bearer }))
  assert.equal(JSON.parse(await type(fill(change, bearer))).newEmail, 'jane.doe@example.com')

  const reset = await type(blockOf('docs/accounts.md', 'aglet person reset').trim())
  assert.match(reset, /\/v1\/account\/reset\/per_/)
  const [pending, link] = blockOf('docs/accounts.md', 'aglet email pending').split('\n') as [string, string]
  assert.match(await type(pending), /jane\.doe@example\.com/)
  const [url] = /http\S+/.exec(await type(fill(link, { 'per_…': person.personId })))!
  await type(fill(confirm, { '{base_url}/account/email/…': url, ...api }))
  assert.equal(JSON.parse(await type(fill(read, bearer))).person.email, 'jane.doe@example.com')
  await type(fill(out, bearer))
  assert.equal(JSON.parse(await type(fill(read, bearer))).statusCode, 401)
})

test('docs/accounts.md: an application is registered, with a secret that is shown once', async () => {
  const lines = blockOf('docs/accounts.md', 'curl {base_url}/application')
  const own = { '{base_url}': shop.baseUrl, 'Bearer …': `Bearer ${shop.token}`, 'team_…': shop.teamId }
  assert.match(JSON.parse(await type(fill(lines, own))).clientSecret, /./)
})

test('docs/plugins.md: the list of plugins is taken as it stands, and runs', async () => {
  const [start, ...body] = blockOf('docs/plugins.md', 'PUT /v1/tag/{tagId}').split('\n') as [string, ...string[]]
  const [method, path] = fill(start, { '/v1': '', '{tagId}': shop.tagId }).split(' ') as [string, string]
  const { status } = await call(shop, method, path, JSON.parse(body.join('\n')))
  assert.equal(status, 200)
  const { body: tag } = await call<{ plugins: { plugin: string }[] }>(shop, 'GET', path)
  assert.deepEqual(
    tag.plugins.map(({ plugin }) => plugin),
    ['botFilter', 'eventRename', 'currencyConversion', 'newReturningCustomer'],
  )
  await call(shop, 'PUT', path, { plugins: [] })
})

test('docs/rules.md: the rules of the page are taken by a channel as they stand', async () => {
  const scriptId = await makeScript(shop, 'eventSink', 'with rules', sinkAt(`${sink.url}/rules`))
  const rules = parseYaml(blockOf('docs/rules.md', 'filter:')) as object
  const { status, body } = await call<{ warnings?: string[]; message?: string }>(
    shop,
    'PATCH',
    `/script/${scriptId}`,
    rules,
  )
  assert.deepEqual([status, body.warnings, body.message], [200, undefined, undefined])
  const saved = (await call<object>(shop, 'GET', `/script/${scriptId}`)).body
  for (const name of Object.keys(rules)) assert.ok(name in saved, name)
  await call(shop, 'DELETE', `/script/${scriptId}`)
})

test('docs/sources.md: a source is switched on, and its address answers', async () => {
  const lines = blockOf('docs/sources.md', 'curl -X PUT "$BASE_URL/tag/$TAG_ID"')
  assert.deepEqual(JSON.parse(await type(lines, { env: token() })).sources, ['segment'])
  const answer = await fetch(`${shop.tagUrl}/v1/batch`, { method: 'POST', body: '{"batch": []}' })
  assert.notEqual(answer.status, 404)
})

test('docs/secret-entries.md: a secret is sealed by the command', async () => {
  writeFileSync(join(reader.folder, 'secret.txt'), 'whsec_S2VlcCB0aGlzIHdoZXJlIG5vYm9keSBsb29rcw==\n')
  const lines = fill(blockOf('docs/secret-entries.md', 'npm run -s aglet -- secret seal'), {
    'secret.txt': join(reader.folder, 'secret.txt'),
  })
  const { variable, key } = JSON.parse(await type(lines, { inClone: true, env: token() }))
  assert.equal(variable, 'EVENT_SINK_SECRET')
  assert.match(key, /^\S+\.\S+$/)
})

test('docs/event-sink.md: a request to the sink has the members that the page shows', async () => {
  const shown = JSON.parse(blockOf('docs/event-sink.md', '{"action": "tag"'))
  await sendEvents(shop, [shopEvent(0, { eventId: 'sink-1', pageUrl: 'https://shop.example/?utm_source=newsletter' })])
  const of = (each: { json: unknown }) => each.json as { action: string; payload: { eventId: string }; query: object }
  await until(() => sink.got.some((each) => of(each).payload?.eventId === 'sink-1'))
  const got = of(sink.got.find((each) => of(each).payload.eventId === 'sink-1')!)
  assert.deepEqual(Object.keys(got).sort(), Object.keys(shown).sort())
  assert.deepEqual(got.query, shown.query)
})

test('docs/replay.md: refused deliveries are counted, sent again, followed and listed', async () => {
  sink.answer = () => ({ status: 422, body: '{"message": "unknown item"}' })
  await sendEvents(shop, [shopEvent(1, { eventId: 'refused-1' })])
  const refused = async () => (await type(`aglet delivery list ${shop.tagId} --status refused`)).includes('refused-1')
  await until(refused)
  sink.answer = () => ({})
  const [dry, real, get, stop, list] = blockOf('docs/replay.md', 'aglet replay tag_…').split('\n') as string[]
  const dates = { '2026-11-20T12:00:00Z': `${day(1)}T12:00:00Z`, '2026-11-19': day(-1), 'tag_…': shop.tagId }
  assert.match(await type(fill(dry!, dates)), /matched +1\n/)
  const [replayId] = /rep_\w+/.exec(await type(fill(real!, dates)))!
  const own = { 'tag_…': shop.tagId, 'rep_…': replayId }
  await until(async () => /state +done/.test(await type(fill(get!, own))))
  assert.match(await type(fill(list!, { 'tag_…': shop.tagId })), new RegExp(`${replayId} +done`))
  assert.match(await type(fill(stop!, own)), /^Replay rep_\w+ is done\.\n$/)
  assert.ok(!(await refused()))
})

test('docs/journal.md: the live stream opens', async () => {
  const lines = blockOf('docs/journal.md', 'curl -N')
  const answered = await reader.type(fill(lines, { 'curl -N': "curl -N -m 2 -o /dev/null -w '%{http_code}'" }), {
    env: token(),
  })
  assert.equal(answered.out, '200', answered.error)
})

test('docs/incidents.md: a channel with a rejected key says so, gets a new key by the command, and nothing waits', async () => {
  const page = pageText('docs/incidents.md')
  const said = (words: string) => {
    assert.ok(page.includes(`\`${words}\``), words)
    return words
  }
  const hook = fill(/`(\{"url": "https:\/\/ops[^`]+)`/.exec(pageText('docs/alerts.md'))![1]!, {
    'https://ops.example.com/aglet': `${sink.url}/alerts`,
  })
  assert.equal((await call(shop, 'POST', '/hook', JSON.parse(hook))).status, 200)
  const secrets = secretsOf('braze', { BRAZE_API_KEY: 'bad-key' })
  const scriptId = await makeScript(shop, 'braze', 'Braze', secrets)
  await sendEvents(shop, [shopEvent(2, { eventId: 'waits-1' })])
  await until(async () => / paused .*keyRejected/.test(await type(said('aglet alert list'))))
  const pending = fill(said('aglet delivery list tag_… --script scr_… --status pending'), {
    'tag_…': shop.tagId,
    'scr_…': scriptId,
  })
  assert.match(await type(pending), /waits-1/)
  const replace = fill(said('aglet script update scr_… --secret NAME=-'), { 'scr_…': scriptId, NAME: 'BRAZE_API_KEY' })
  await type(replace, { input: 'a-good-key\n' })
  await until(async () => (await type(pending)).trim() === 'None.')
  // Alerts are written by another loop than deliveries.
  await until(async () => / resumed /.test(await type('aglet alert list')))

  const membersOf = ({ data, ...alert }: Record<string, unknown>) => [
    Object.keys(alert),
    Object.keys(data as object).sort(),
  ]
  const alert = () => sink.got.find(({ path }) => path === '/alerts')?.json as Record<string, unknown> | undefined
  await until(() => alert() !== undefined)
  assert.deepEqual(membersOf(alert()!), membersOf(JSON.parse(blockOf('docs/alerts.md', '{'))))
})

test('docs/incidents.md: a vendor that is down stops its channel, which recovers by itself', async () => {
  await makeScript(shop, 'plausible', 'Plausible', secretsOf('plausible'))
  // Ten failures in a row stop a channel.
  const body = JSON.stringify({ vendor: 'plausible', failure: 'down', times: 10 })
  assert.ok((await fetch(`${vendorsUrl}/force`, { method: 'POST', body })).ok)
  await sendEvents(
    shop,
    Array.from({ length: 12 }, (_, n) => shopEvent(100 + n, { eventId: `down-${n}` })),
  )
  const channels = () => type(`aglet channel list ${shop.tagId}`)
  await until(async () => /Plausible +plausible +stopped +vendorDown/.test(await channels()))
  await until(async () => / recovered +\S+ +vendorDown/.test(await type('aglet alert list')))
  assert.match(await channels(), /Plausible +plausible +(ok|waiting) /)
})

test('docs/identity.md: a person is found and erased by e-mail, also in events that no stored user has', async () => {
  assert.match(pageText('docs/identity.md'), /`aglet user erase <tagId> --email ADDRESS`/)
  const email = 'erase.me@example.com'
  const find = () => type(`aglet user find ${shop.tagId} --email ${email}`)
  await sendEvents(shop, [shopEvent(3, { eventId: 'gone-1', userEmail: email })])
  await sendEvents(shop, [shopEvent(4, { eventId: 'gone-2', userEmail: email })], { serviceuserid: 'usr_claims' })
  const key = { authorization: `Bearer ${shop.token}`, 'team-id': shop.teamId }
  await sendEvents(shop, [shopEvent(5, { eventId: 'gone-3', userEmail: email })], key)
  await until(async () => (await find()).trim().split('\n').length === 4)
  const erase = `aglet user erase ${shop.tagId} --email ${email}`
  const unasked = await reader.type(erase)
  assert.deepEqual([unasked.code, unasked.out.trim().split('\n').length], [2, 4])
  assert.match(await type(`${erase} --yes`), /Erased 3 users with 3 events\.\n$/)
  assert.equal(await find(), 'None.\n')
  const { body } = await call<{ isErased?: boolean }>(shop, 'GET', `/tag/${shop.tagId}/event/gone-3`)
  assert.equal(body.isErased, true)
})

test('docs/config-as-code.md: what was tried in the sandbox is planned and applied in production', async () => {
  const config = 'tags:\n  - name: promoted\n    domain: promoted.example\n'
  writeFileSync(join(reader.folder, 'aglet.yaml'), config)
  const [tried, plan, apply] = blockOf('docs/config-as-code.md', 'aglet apply --environment sandbox').split(
    '\n',
  ) as string[]
  await type(fill(tried!, { sandbox: 'sandbox --yes' }))
  assert.match(await type(plan!), /\+ tag promoted/)
  await type(`${apply} --yes`)
  assert.match(await type(plan!), /Nothing differs/)
})

test('docs/config-as-code.md: the lines of a pipeline plan and apply a file', async () => {
  const lines = blockOf('docs/config-as-code.md', 'printf %s "$TOKEN"')
  const config = 'tags:\n  - name: piped\n    domain: piped.example\n'
  writeFileSync(join(reader.folder, 'aglet.yaml'), config)
  const out = await type(lines, { env: { TOKEN: shop.token, URL: shop.baseUrl } })
  assert.match(out, /Done\.\n$/)
})

test('docs/backup.md: a backup is made while the server runs, and restored elsewhere', async () => {
  const [backup, restore] = blockOf('docs/backup.md', 'npm run -s aglet -- backup').split('\n') as string[]
  const [file, to] = [join(reader.folder, 'backup.tar'), join(reader.folder, 'restored')]
  const backups = { '/backups/aglet-2026-11-20.tar': file }
  await type(fill(backup!, backups), { inClone: true })
  mkdirSync(to)
  const withoutKey = await reader.type(fill(restore!, { ...backups, '/srv/aglet': to }), { inClone: true })
  assert.deepEqual([withoutKey.code, /root\.key/.test(withoutKey.out + withoutKey.error)], [1, true])
  await type(`cp ${data}/root.key ${to}/root.key && aglet doctor --data ${to}`)
})
