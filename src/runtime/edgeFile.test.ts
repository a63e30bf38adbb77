import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { environmentKeyOf } from '#account/loadKeyring.ts'
import { snapshot } from '#edge/edge.fixture.ts'
import { createSnapshots } from '#script/snapshot.ts'
import { createServedHosts } from '#tag/servedHosts.ts'
import { edgeFileOf, readEdgeFile, writeEdgeFile } from './edgeFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-edge-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const rootKeys = { inUse: Buffer.alloc(32, 7) }
const place = { path: join(folder, 'edge.sealed'), environment: 'production', rootKeys } as const
const now = 1_800_000_000_000
const day = 86_400_000

/** The file of an edge with one tag, which has a host and a paused script. */
function makeFile() {
  const keys = openKeyring(rootKeys.inUse, 'production')
  const tag = snapshot({ hosts: ['a.example.com'] })
  keys.createTeamKey(tag.teamId)
  const claims = [{ tagId: tag.tagId, host: 'a.example.com', claimedAt: 1, provedSince: 2, provedAt: 3 }]
  const servedHosts = createServedHosts(claims)
  const { name, value } = environmentKeyOf(keys)
  const sealingKeys = [
    { kid: 'k', state: 'active' as const, publicJwk: '{}', sealedPrivate: new Uint8Array([1, 2]), createdAt: 1 },
  ]
  const snapshots = createSnapshots([tag], servedHosts, ['scr_paused'])
  return {
    keys,
    tag,
    file: edgeFileOf({ keys, snapshots, servedHosts, settings: { [name]: value }, sealingKeys }, now),
  }
}

test('an edge reads from its file what it had in memory: tags, hosts, pauses and the keys of the teams of the tags', async () => {
  const { keys, tag, file } = makeFile()
  await writeEdgeFile(place, file)
  const read = (await readEdgeFile(place, now))!
  assert.deepEqual({ ...read, teams: [], sealingKeys: [] }, { ...file, teams: [], sealingKeys: [] })
  assert.deepEqual(read.snapshots, [tag])
  assert.deepEqual([...read.sealingKeys[0]!.sealedPrivate], [1, 2])
  const environmentKey = Buffer.from(read.settings[environmentKeyOf(keys).name]!, 'base64url')
  const opened = openKeyring(rootKeys.inUse, 'production', { environmentKey })
  for (const { teamId, sealedKey } of read.teams) opened.loadTeamKey(teamId, sealedKey)
  assert.equal(opened.team(tag.teamId).eventKey('t', 'e', true), keys.team(tag.teamId).eventKey('t', 'e', true))
})

test('a file is of use for a day, and not one from later than now', async () => {
  await writeEdgeFile(place, makeFile().file)
  assert.ok(await readEdgeFile(place, now + day))
  await assert.rejects(readEdgeFile(place, now + day + 1), /more than a day old/)
  assert.ok(await readEdgeFile(place, now - 60_000))
  await assert.rejects(readEdgeFile(place, now - 60_001), /set back/)
})

test('a file of another root key or environment is refused', async () => {
  await writeEdgeFile(place, makeFile().file)
  await assert.rejects(readEdgeFile({ ...place, rootKeys: { inUse: Buffer.alloc(32, 8) } }, now))
  await assert.rejects(readEdgeFile({ ...place, environment: 'sandbox' }, now))
  assert.equal(await readEdgeFile({ ...place, path: join(folder, 'none') }, now), undefined)
})
