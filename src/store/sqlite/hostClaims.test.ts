import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { migrate } from '#kit/migrate.ts'
import { openSqliteStore } from './sqliteStore.ts'

test('the migration claims a host name from before proofs existed, and counts it as proved', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-hosts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const all = join(import.meta.dirname, 'migrations')
  const before = join(folder, 'migrations')
  mkdirSync(before)
  for (const name of readdirSync(all)) if (name < '0011') cpSync(join(all, name), join(before, name))
  const file = join(folder, 'production.db')
  const db = new DatabaseSync(file)
  migrate(db, pathToFileURL(`${before}/`))
  db.exec(`INSERT INTO team (id, name, sealed_key, created_at) VALUES ('team_1', 'Team', x'00', 1);
    INSERT INTO tag (id, team, name, settings, created_at) VALUES ('tag_1', 'team_1', 'Tag', '{}', 1);
    INSERT INTO host (name, tag) VALUES ('d.example.com', 'tag_1')`)
  db.close()

  const begun = Date.now()
  const store = await openSqliteStore(file)
  const [claim, ...others] = await store.hostClaims('all')
  await store.close()
  assert.ok(claim && claim.claimedAt >= begun - 1_000 && claim.claimedAt <= Date.now())
  const at = claim.claimedAt
  assert.deepEqual(claim, { tagId: 'tag_1', host: 'd.example.com', claimedAt: at, provedSince: at, provedAt: at })
  assert.deepEqual(others, [])
})
