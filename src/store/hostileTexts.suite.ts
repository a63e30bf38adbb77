import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { at, baseChanges, script } from './store.fixture.ts'
import type { Store, StoreChange } from './store.ts'

const hostileTexts: readonly string[] = [
  ...["' OR 1=1 --", "'; DROP TABLE team; --", '" OR ""="', '\\', "\\' OR 1=1 --", '$1', '?', '?1', '%', '_', '*'],
  ...['\0', 'a\0b', '\ud800', '\u202e', '{}', '[]', 'null', '', ' ', '1', '-1', '1e999', 'x'.repeat(100_000)],
]

/** The laws of every store for strangers' texts, which reach its reads and writes unchanged. */
export function hostileTextLaws(store: () => Store): void {
  describe('hostile texts', () => {
    before(() => store().write([...baseChanges, { put: 'script', row: script() }]))

    test('find nothing and change nothing, in whichever read they stand', async () => {
      const page = { limit: 5 }
      for (const text of hostileTexts) {
        const reads = [
          ...[store().team(text), store().tag(text), store().script(text), store().tokenById(text), store().hook(text)],
          ...[store().deployment(text), store().deployment(text, 1), store().deploymentAt(text, at)],
          ...[store().secret({ secretId: text, version: 1 }), store().setting(text)],
        ]
        for (const found of await Promise.all(reads)) assert.equal(found, undefined, text.slice(0, 50))
        const lists = [
          ...[
            store().tags(text, page),
            store().scripts(text, page),
            store().hooks(text, page),
            store().history(text, page),
          ],
          ...[store().audit(text, page), store().audit('team_1', page, { by: text, what: text, object: text })],
        ]
        for (const { rows } of await Promise.all(lists)) assert.deepEqual(rows, [], text.slice(0, 50))
        assert.deepEqual([...(await store().snapshotParts('tag_1', [text]))], [])
        assert.deepEqual(await store().hostClaims({ host: text }), [])
      }
      assert.ok(await store().team('team_1'))
    })

    test('are stored as texts: the audit reads them as they were, but for signs that are in no text of UTF-8', async () => {
      const rows = hostileTexts.slice(0, -1).map((text, n): StoreChange => {
        const state = { text }
        return { add: 'audit', row: { at: at + n, by: 'tok_1', what: `hostile ${n}`, teamId: 'team_1', before: state } }
      })
      await store().write(rows)
      for (const [n, text] of hostileTexts.slice(0, -1).entries()) {
        const { rows: found } = await store().audit('team_1', { limit: 1 }, { what: `hostile ${n}` })
        assert.deepEqual(found[0]?.before, { text })
      }
      assert.deepEqual(await store().script('scr_1'), script())
    })
  })
}
