import { newId } from '#kit/id.ts'
import { toSnapshotScript } from '#store/snapshotParts.ts'
import type { ScriptRecord } from '#store/store.ts'
import type { Customer, TestControl } from './testControl.ts'

/** The limits of a tag: scripts with the longest regions, and the longest settings. */
const scriptCount = 200
/** The longest list of regions: 10,000 characters. */
const longestRegions = (first: string) => `${first},${'US-CA,'.repeat(1_665)}`.slice(0, 9_999).replace(/,[^,]*$/, '')

/** Gives the customer's tag the maximum of live scripts, each with the longest regions. Returns their ids. */
export async function fillTag({ environments }: TestControl, { teamId, tagId, tokenId }: Customer): Promise<string[]> {
  const { store, snapshots, clock } = environments.production
  const now = clock.now()
  const live = (await store.deployment(tagId))!
  const made = Array.from({ length: scriptCount - live.snapshot.scripts.length }, (_, n): ScriptRecord => {
    const scriptId = newId('scr', now)
    const names = { scriptId, tagId, teamId, name: `channel ${n}`, providerId: 'validation' as const }
    return { ...names, geoRegions: longestRegions('DE'), secrets: {}, createdAt: now, version: 1 }
  })
  const scripts = [...live.snapshot.scripts, ...made.map(toSnapshotScript)]
  const hosts = Array.from(
    { length: 20 },
    (_, n) => `${'h'.repeat(60)}.${'h'.repeat(60)}.${'h'.repeat(60)}.h${n}.example`,
  )
  const allowedOrigins = Array.from(
    { length: 100 },
    (_, n) => `https://${'o'.repeat(60)}.${'o'.repeat(60)}.o${n}.example`,
  )
  const tag = (await store.tag(tagId))!
  const settings = { ...tag.settings, hosts, allowedOrigins }
  const snapshot = { ...live.snapshot, ...settings, number: live.number + 1, scripts }
  await store.write([
    ...made.map((row) => ({ put: 'script' as const, row })),
    { put: 'tag', row: { ...tag, settings } },
    { put: 'hosts', tagId, hosts, at: now },
    { add: 'deployment', row: { tagId, number: snapshot.number, snapshot, by: tokenId, createdAt: now } },
  ])
  snapshots.put(snapshot)
  return made.map(({ scriptId }) => scriptId)
}

/** Creates a draft of every script, with regions other than the live ones. */
export async function changeEveryDraft({ environments }: TestControl, { tagId }: Customer): Promise<void> {
  const { store } = environments.production
  const { rows } = await store.scripts(tagId, { limit: scriptCount })
  await store.write(rows.map((row) => ({ put: 'script', row: { ...row, geoRegions: longestRegions('FR') } })))
}
