import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressOf, basePath, environmentOf, pageAt, pageIds, pages, queryText } from './addresses.ts'

const place = { environment: 'production', teamId: 'team_1' } as const
const segment = fc
  .string({ minLength: 1 })
  .filter((text) => text.isWellFormed() && !/^\.{1,2}$/.test(text) && text.trim() !== '')

test('every address leads to its own page', () => {
  const params = {
    tagId: 'tag_1',
    eventId: 'order 1/2',
    orderId: '#1001/2',
    scriptId: 'scr_1',
    providerId: 'facebook',
    replayId: 'rpl_1',
    number: '3',
    userId: 'usr_1',
  }
  for (const id of pageIds) assert.equal(pageAt('production', addressOf(place, id as 'event', params)), id)
})

test('an event id of any text stays one segment of the address', () =>
  fc.assert(
    fc.property(segment, (eventId) => {
      const address = addressOf(place, 'event', { tagId: 'tag_1', eventId })
      assert.equal(address.split('/').length, 7)
      assert.equal(decodeURIComponent(address.split('/')[6]!), eventId)
    }),
  ))

test('an optional part is left out, and a query holds what has a value', () => {
  assert.equal(addressOf(place, 'newChannel', { tagId: 't' }), '/dashboard/team_1/tags/t/channels/new')
  assert.equal(
    addressOf(place, 'events', { tagId: 't' }, { status: 'dead', name: undefined }),
    '/dashboard/team_1/tags/t/events?status=dead',
  )
  assert.equal(queryText({ name: '', reason: undefined }), '')
})

test('the sandbox has addresses of its own, and no page is found outside of the table', () => {
  const address = addressOf({ environment: 'sandbox', teamId: 'team_1' }, 'team', {})
  assert.equal(address, '/sandbox/dashboard/team_1')
  assert.equal(environmentOf(address), 'sandbox')
  assert.equal(environmentOf('/dashboard/sandbox'), 'production')
  assert.equal(basePath('production'), '/dashboard')
  assert.equal(pageAt('production', '/dashboard/team_1/nothing/here'), undefined)
})

test('each page links to a page of docs/, at a heading that is there', () => {
  const anchorsOf = (text: string) =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )
  for (const id of pageIds) {
    const [page, anchor] = pages[id].docs.split('#')
    const text = readFileSync(join(import.meta.dirname, '../../docs', `${page}.md`), 'utf8')
    if (anchor) assert.ok(anchorsOf(text).includes(anchor), `${id}: docs/${page}.md has no heading ${anchor}`)
  }
})

test('no two pages have the same letter', () => {
  const letters = pageIds.flatMap((id) => pages[id].letter ?? [])
  assert.deepEqual(letters, [...new Set(letters)])
})
