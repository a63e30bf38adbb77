import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort, program, until } from './fake/aglet.ts'

/**
 * The first hour of a new user: the commands of README.md and its linked pages, typed unchanged, from a folder other than
 * the server's.
 */
const run = promisify(execFile)
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'aglet-hour-'))
const home = join(folder, 'home')
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AGLET_'))),
  HOME: home,
  XDG_STATE_HOME: '',
  XDG_CONFIG_HOME: '',
}
let server: ChildProcess
let printed = ''

/** The value that the start printed after a label: `Tag URL       http://…`. */
const printedAt = (label: string) => new RegExp(`${label} +(\\S+)`).exec(printed)![1]!

const tagId = () => printedAt('Tag URL').split('/').at(-1)!

/** Runs a command line in the reader's shell, in another folder than the server's. */
async function shell(line: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', line], { cwd: folder, env, timeout: 60_000 })
  return stdout
}
const aglet = (words: string) => shell(`sh ${program} ${words}`)
const flags = () => `--base-url ${printedAt('Base address')} --token ${printedAt('Token')} --team ${printedAt('Team')}`

before(async () => {
  const port = await freePort()
  const words = [program, 'serve', '--port', `${port}`, '--data', join(folder, 'server/data')]
  server = spawn('sh', words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
  server.stdout!.on('data', (chunk) => {
    printed += chunk
  })
  await until(() => /See where it went:\n\ncurl .*\n\n/.test(printed), 100_000)
})
after(() => {
  server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('the printed commands send a first event and show its journey, with the address that it went to', async () => {
  const [send, journey] = printed.split('\n').filter((line) => line.startsWith('curl ')) as [string, string]
  assert.equal(JSON.parse(await shell(send)).result.status, 'accepted')
  let told: { deliveries?: { status: string; attempts: { exchanges?: { request: { url: string } }[] }[] }[] } = {}
  await until(async () => {
    told = JSON.parse(await shell(journey))
    return told.deliveries?.[0]?.status === 'delivered'
  }, 60_000)
  assert.match(told.deliveries![0]!.attempts[0]!.exchanges![0]!.request.url, /\/demo\/inbox\//)
})

test('the curl of the README, with the printed tag, is answered as the README shows', async () => {
  const [, commands, answer] = /```\n(curl -X POST [\s\S]*?)```\n\n```json\n([\s\S]*?)```/.exec(readme)!
  const line = commands!.replace(/http:\/\/127\.0\.0\.1:4000\/t\/tag_…/, printedAt('Tag URL'))
  const { result } = JSON.parse(await shell(line))
  const shown = JSON.parse(answer!).result
  assert.deepEqual(Object.keys(result), Object.keys(shown))
  assert.deepEqual([result.eventId, result.status], [shown.eventId, shown.status])
  assert.ok(result.warnings[0].startsWith(shown.warnings[0].replace('…', '')))
})

test('the second curl of the README, with what was printed, reads the journey of that event', async () => {
  const [, line] = /```\n(curl http:[^\n]*\/event\/order-1001 [^\n]*)\n```/.exec(readme)!
  const filled = line!
    .replace(/http:\/\/127\.0\.0\.1:4000\/v1\/tag\/tag_…/, `${printedAt('Base address')}/tag/${tagId()}`)
    .replace('aglet_live_…', printedAt('Token'))
    .replace('team_…', printedAt('Team'))
  let journey: { eventId?: string; deliveries?: { status: string }[] } = {}
  await until(async () => {
    journey = JSON.parse(await shell(filled))
    return journey.deliveries?.[0]?.status === 'delivered'
  }, 60_000)
  assert.equal(journey.eventId, 'order-1001')
})

/** The commands of the first block of a page, without the comments. */
const commandsOf = (page: string) =>
  /```\n(aglet [\s\S]*?)```/
    .exec(readFileSync(join(import.meta.dirname, '../docs', page), 'utf8'))![1]!
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*/, ''))

test('what a fresh sandbox pulls can be planned for production', async () => {
  const [production, sandbox] = printed.split('Sandbox\n') as [string, string]
  const flagsOf = (text: string) => {
    const at = (label: string) => new RegExp(`${label} +(\\S+)`).exec(text)![1]!
    return `--base-url ${at('Base address')} --token ${at('Token')}`
  }
  await aglet(`pull ${flagsOf(sandbox)} --file fresh.yaml`)
  assert.match(await aglet(`plan ${flagsOf(production)} --file fresh.yaml`), /demo/)
})

test('the page of configuration as code, followed in the sandbox, makes the tag of its example', async () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/config-as-code.md'), 'utf8')
  const [login, pull, plan, apply] = commandsOf('config-as-code.md') as [string, string, string, string]
  const [, sandbox] = printed.split('Sandbox\n') as [string, string]
  const at = (label: string) => new RegExp(`${label} +(\\S+)`).exec(sandbox)![1]!
  const words = (line: string) => line.replace(/^aglet /, '')
  const address = words(login).replace('https://aglet.example.com/sandbox/v1', at('Base address'))
  await shell(`printf %s ${at('Token')} | sh ${program} ${address}`)
  await aglet(words(pull))
  assert.match(readFileSync(join(folder, 'aglet.yaml'), 'utf8'), /name: demo/)
  writeFileSync(join(folder, 'aglet.yaml'), /```yaml\n([\s\S]*?)```/.exec(page)![1]!)
  writeFileSync(join(folder, 'headers.json'), '{"x-source": "aglet"}')
  await assert.rejects(aglet(words(plan)), /the environment variable WAREHOUSE_SECRET is not set/)
  Object.assign(env, { WAREHOUSE_SECRET: 'whsec_S2VlcCB0aGlzIHdoZXJlIG5vYm9keSBsb29rcw==' })
  assert.match(await aglet(words(plan)), /\+ tag shop\n[\s\S]*\+ script shop \/ warehouse[\s\S]*2 changes\./)
  assert.match(await aglet(`${words(apply)} --yes`), /Done\.\n$/)
  assert.match(await aglet(words(plan)), /Nothing differs\.\n$/)
})

test('the command line finds the server from another folder, says so, and creates nothing there', async () => {
  const { stdout, stderr } = await run('sh', [program, 'team', 'list'], { cwd: folder, env })
  assert.match(stdout, /team_\w+ +demo/)
  assert.match(stderr, /Using .*server\/data, the data directory of the running server/)
  assert.ok(!existsSync(join(folder, 'data')))
  assert.match(await aglet(`token list --team ${printedAt('Team')}`), /tok_\w+/)
  assert.match(await aglet('sign-in'), /\/account\/link\//)
})

test('a script is listed, changed by its id alone, and the deployment says what changed', async () => {
  const tag = tagId()
  const [scriptId] = /scr_\w+/.exec(await aglet(`script list --tag ${tag} ${flags()}`))!
  assert.equal(await aglet(`script update ${scriptId} --geo-regions EU ${flags()}`), `Updated script ${scriptId}.\n`)
  assert.match(await aglet(`deployment list ${tag} ${flags()}`), /changed demo: geoRegions/)
  assert.match(await aglet(`event list ${tag} ${flags()}`), /order-1001/)
})

test('the running server has the event reference that the README names', async () => {
  assert.match(readme, /docs\/events\.md/)
  const origin = new URL(printedAt('Tag URL')).origin
  const page = await fetch(`${origin}/docs/events`)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /storage\.service\.consent/)
})
