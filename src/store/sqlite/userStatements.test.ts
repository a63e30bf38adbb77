import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { userStatements } from './emailUsers.ts'
import { openStoreWrites } from './fold/storeWrites.ts'
import { deleteUser, eraseUser } from './userStore.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-user-statements-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('what is stored of a user is found by the user and not by a search of the tag', () => {
  const path = join(folder, 'store.db')
  openStoreWrites({ path, folder: join(folder, 'log') }).close()
  const db = new DatabaseSync(path, { readOnly: true })
  const user = { tagId: 'tag_1', userId: 'usr_1', seenAt: 1 }
  const written = { user: { ...user, sealed: new Uint8Array() }, lookupKeys: { isUnnamed: true as const, customs: [] } }
  const statements = [
    deleteUser({ drop: 'user', ...user }),
    eraseUser({ erase: 'user', ...user, at: 1 }),
    userStatements(written),
  ]
  const searched = new Set<string>()
  for (const { sql } of statements.flat()) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    for (const { detail } of plan) {
      const search = String(detail)
      // A search that only names the tag reads all of its rows.
      assert.doesNotMatch(search, /^SCAN (?!found|CONSTANT|json_each)|\(tag=\?\)$/, sql)
      const index = /INDEX ((email|custom)_user_user) \(tag=\? AND user_id=\?\)/.exec(search)?.[1]
      if (index) searched.add(index)
    }
  }
  assert.deepEqual([...searched].sort(), ['custom_user_user', 'email_user_user'])
  db.close()
})
