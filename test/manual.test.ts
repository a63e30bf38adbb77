import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { helpAddress, pageIds } from '#dashboard/addresses.ts'
import { createFastify } from '#http/fastifyApp.ts'
import { manualJobs } from '#http/manualContents.ts'
import { referencePages } from '#http/referencePages.ts'
import { silentLog } from '#kit/log.ts'
import { buildManual, renderManualPage } from '../scripts/manual.ts'

const docs = join(import.meta.dirname, '../docs')
const paths = globSync('**/*.md', { cwd: docs }).map((file) => file.replace(/\.md$/, ''))
const app = createFastify({ log: silentLog })
before(() => {
  buildManual()
  app.register(async (routes) =>
    referencePages(routes, [{ environment: 'production', path: '/docs', document: '/v1/openapi.json' }]),
  )
})
after(() => app.close())

const htmlOf = (text: string, page = 'a') =>
  renderManualPage(`# Title\n\n${text}`, page, ['a', 'security', 'decisions/0001-c']).html

test('HTML of a page is shown as text, and no link runs a script', () => {
  const html = htmlOf(
    'One <b onclick="x()">bold</b>.\n\n<script>x()</script>\n\n[a](javascript:x()) ![b](javascript:x())',
  )
  assert.doesNotMatch(html, /<(?:script|b)\b|(?:href|src)="javascript:/)
  assert.match(html, /&lt;script&gt;/)
})

test('a link leads to the page on the server; one to a file that is not served becomes its text', () => {
  assert.match(htmlOf('[x](security.md#two-words)'), /<a href="\/docs\/security#two-words">x<\/a>/)
  assert.match(htmlOf('[x](../security.md)', 'decisions/0001-c'), /href="\/docs\/security"/)
  assert.match(
    htmlOf('[x](../src/b.ts) and [y](https://example.com)'),
    /<p>x and <a href="https:\/\/example.com">y<\/a>/,
  )
})

test('a heading has the anchor that links to it use, and a table can be scrolled by itself', () => {
  assert.match(htmlOf('## A `code` heading, here'), /<h2 id="a-code-heading-here">/)
  assert.match(htmlOf('| a |\n|---|\n| b |'), /<div class="table" tabindex="0"><table>[\s\S]*<\/table><\/div>/)
})

test('a picture of both colour schemes is one, and no other HTML is', () => {
  const picture = (source: string) =>
    `<picture>\n<source media="(prefers-color-scheme: dark)" srcset="images/a-dark.webp">\n<img alt="An event" src="${source}">\n</picture>`
  assert.match(htmlOf(picture('images/a-light.webp')), /<img alt="An event" src="\/docs\/images\/a-light.webp"/)
  assert.doesNotMatch(htmlOf(picture('https://example.com/a.webp')), /<img/)
})

test('every page of the manual stands below one job, and each job leads to pages that exist', async () => {
  const own = paths.filter((path) => !path.startsWith('decisions/'))
  assert.deepEqual(manualJobs.flatMap(([, pages]) => pages).toSorted(), own.toSorted())
  const { body } = await app.inject('/docs/manual')
  for (const [job] of manualJobs) assert.ok(body.includes(`<h2>${job}</h2>`), job)
})

test('the search of the manual finds the part of a page that has all words, and shows a query as text', async () => {
  const search = async (q: string) => (await app.inject(`/docs/search?q=${encodeURIComponent(q)}`)).body
  assert.match(await search('failing tenth channel'), /href="\/docs\/alerts/)
  assert.match(await search('WEBHOOK_TOKEN'), /href="\/docs\/webhook/)
  assert.match(await search('no-such-word-anywhere'), /No page of the manual contains all of these words/)
  const hostile = await search('"><script>x()</script>')
  assert.doesNotMatch(hostile, /<script>/)
  assert.doesNotMatch(await search(''), /No page of the manual/)
  assert.equal((await app.inject('/docs/search?q=a&q=b')).statusCode, 200)
})

test('every page of docs/ is served without a script, and its links to pages lead to pages', async () => {
  const contents = (await app.inject('/docs/manual')).body
  for (const path of paths) {
    const { statusCode, headers, body } = await app.inject(`/docs/${path}`)
    assert.deepEqual([path, statusCode, headers['content-type']], [path, 200, 'text/html; charset=utf-8'])
    assert.match(`${headers['content-security-policy']}`, /^default-src 'none'/)
    assert.doesNotMatch(body, /<script/)
    assert.ok(contents.includes(`href="/docs/${path}"`), path)
    for (const [, link] of body.matchAll(/href="\/docs\/([^"#]+)/g))
      assert.ok(paths.includes(link!) || link === 'manual', `${path} links to ${link}`)
    const [, title] = /^# (.+)$/m.exec(readFileSync(join(docs, `${path}.md`), 'utf8')) ?? []
    if (!['events', 'providers'].includes(path)) assert.ok(body.includes('<h1>'), title)
  }
})

test('each page of the dashboard links to a page that the server has', async () => {
  for (const id of pageIds) assert.equal((await app.inject(helpAddress(id).split('#')[0]!)).statusCode, 200, id)
})
