import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { dashboardRoutes, readDashboard } from './dashboard.ts'
import { createFastify } from './fastifyApp.ts'

const origin = 'https://aglet.example'
const folder = mkdtempSync(join(tmpdir(), 'aglet-dashboard-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const put = (path: string, content: string | Buffer) => writeFileSync(join(folder, path), content)
mkdirSync(join(folder, 'assets'))
const script = 'console.log(1)\n'.repeat(50)
put('index.en.html', '<!doctype html><title>Aglet</title>')
put('index.de.html', '<!doctype html><html lang="de"><title>Aglet</title>')
put('sources.txt', 'not served')
put('assets/main-ABC.js', script)
put('assets/main-ABC.js.gz', gzipSync(script))
put('assets/main-ABC.css', 'body { margin: 0 }')
put('assets/inter-ABC.woff2', Buffer.from([1, 2, 3]))

const openApp = async (build: ReturnType<typeof readDashboard>) => {
  const app = createFastify({ log: () => undefined })
  dashboardRoutes(app, origin, build)
  await app.ready()
  after(() => app.close())
  return (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { host: 'aglet.example', ...headers } })
}
const get = await openApp(readDashboard(folder))

test('every path below /dashboard of both environments gets the page, with and without a team', async () => {
  for (const path of ['/dashboard', '/dashboard/team_1/tags/tag_1/events?status=dead', '/dashboard/me'])
    for (const url of [path, `/sandbox${path}`]) {
      const answer = await get(url)
      assert.deepEqual([url, answer.statusCode, answer.body], [url, 200, '<!doctype html><title>Aglet</title>'])
    }
  assert.equal((await get('/dashboards')).statusCode, 404)
})

test('the page allows only scripts and styles of the build, no inline code, and no other origin', async () => {
  const { headers } = await get('/dashboard')
  const at = `${origin}/dashboard/assets/`
  assert.equal(
    headers['content-security-policy'],
    `default-src 'none'; script-src ${at}; style-src ${at}; font-src ${at}; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types aglet-worker`,
  )
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['referrer-policy'], 'same-origin')
  assert.equal(headers['access-control-allow-origin'], undefined)
  assert.equal(headers['set-cookie'], undefined)
})

test('the page is checked at each use, and answered 304 where the browser has it', async () => {
  const { headers } = await get('/dashboard')
  assert.equal(headers['cache-control'], 'no-cache')
  const again = await get('/dashboard', { 'if-none-match': String(headers.etag) })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

test('the page is in the language that was chosen, else in one of the browser’s, else in English', async () => {
  const languageOf = async (headers: Record<string, string>) =>
    /lang="de"/.test((await get('/dashboard/me', headers)).body) ? 'de' : 'en'
  const asked: [Record<string, string>, string][] = [
    [{}, 'en'],
    [{ 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
    [{ 'accept-language': 'en-GB,de;q=0.9' }, 'en'],
    [{ 'accept-language': 'fr' }, 'en'],
    [{ 'accept-language': 'fr,de;q=0' }, 'en'],
    [{ 'accept-language': 'en', cookie: 'a=b; aglet_language=de' }, 'de'],
    [{ 'accept-language': 'de', cookie: 'aglet_language=en' }, 'en'],
    [{ 'accept-language': 'de', cookie: 'aglet_language=../x' }, 'de'],
  ]
  for (const [headers, expected] of asked) assert.deepEqual([headers, await languageOf(headers)], [headers, expected])
  const [english, german] = [await get('/dashboard'), await get('/dashboard', { 'accept-language': 'de' })]
  assert.equal(german.headers.vary, 'accept-encoding, accept-language, cookie')
  assert.notEqual(german.headers.etag, english.headers.etag)
})

test('an asset is kept for ever and sent as the gzip of the build to who takes it', async () => {
  const plain = await get('/dashboard/assets/main-ABC.js')
  assert.deepEqual([plain.statusCode, plain.body, plain.headers['content-encoding']], [200, script, undefined])
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(plain.headers['x-content-type-options'], 'nosniff')
  const zipped = await get('/dashboard/assets/main-ABC.js', { 'accept-encoding': 'br, gzip' })
  assert.deepEqual([zipped.headers['content-encoding'], zipped.headers.vary], ['gzip', 'accept-encoding'])
  assert.equal(gunzipSync(zipped.rawPayload).toString(), script)
  const style = await get('/dashboard/assets/main-ABC.css', { 'accept-encoding': 'gzip' })
  assert.equal(gunzipSync(style.rawPayload).toString(), 'body { margin: 0 }')
  const font = await get('/dashboard/assets/inter-ABC.woff2', { 'accept-encoding': 'gzip' })
  assert.deepEqual([font.headers['content-type'], font.headers['content-encoding']], ['font/woff2', undefined])
})

test('a script of the build that runs as a worker may load scripts of the build, and call nobody', async () => {
  const { headers } = await get('/dashboard/assets/main-ABC.js')
  assert.equal(headers['content-security-policy'], `default-src 'none'; script-src ${origin}/dashboard/assets/`)
})

test('nothing but the assets of the build is served', async () => {
  for (const name of ['nope.js', 'main-ABC.js.gz', '..%2Findex.en.html', '..%2Fsources.txt', '%2e%2e%2fsources.txt'])
    assert.equal((await get(`/dashboard/assets/${name}`)).statusCode, 404, name)
})

test('another name of this machine is redirected to the origin, where the cookie belongs', async () => {
  const answer = await get('/dashboard/team_1?a=b', { host: 'localhost:4000' })
  assert.deepEqual([answer.statusCode, answer.headers.location], [303, `${origin}/dashboard/team_1?a=b`])
})

test('without a build the page says how to build it', async () => {
  const bare = await openApp(readDashboard(join(folder, 'nowhere')))
  const { statusCode, body, headers } = await bare('/dashboard/team_1')
  assert.equal(statusCode, 404)
  assert.match(body, /npm run bundle/)
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  assert.equal((await bare('/dashboard/assets/main-ABC.js')).statusCode, 404)
})
