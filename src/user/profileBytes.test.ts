import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { proofOfObjection, withProof } from '#consent/consentProof.ts'
import type { StoredConsent } from '#consent/statedConsent.ts'
import { standardKeys } from '#contract/standardKeys.ts'
import { silentLog } from '#kit/log.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { noUserFacts, type UserFacts, updateProfile } from './profile.ts'
import { openProfiles } from './profiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-profile-'))
const store = await openSqliteStore(join(folder, 'store.db'))
const closing = new AbortController()
after(async () => {
  closing.abort()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const clock = turnedClock()
const profiles = openProfiles(
  { store, keys, clock, log: silentLog, eventProfile: async () => undefined },
  closing.signal,
)
const user = { tag: { tagId: 'tag_1', teamId: 'team_1' }, userId: 'usr_1' }
const learn = async (facts: Partial<UserFacts>, trusted = false, consent?: StoredConsent) => {
  const change = (known: Parameters<typeof updateProfile>[0]) =>
    updateProfile(known, { ...noUserFacts, ...facts }, { at: clock.now(), trusted, consent })
  await (await profiles.change(user, change)).written
}

/**
 * The bytes of all files of the store: its log, its write-ahead log (which only grows here) and its database file.
 */
const bytesOnDisk = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

/** The bytes that a change writes, including its rows. */
async function bytesWritten(change: () => Promise<void>): Promise<number> {
  await store.purge!()
  const before = bytesOnDisk()
  await change()
  await store.users.nextTag('') // this read runs after the pending fold
  return bytesOnDisk() - before
}

/** A consent with proofs of the maximum size, for the answer and for the objections. */
function longestConsent(): StoredConsent {
  const [name, string, gpp] = ['ä'.repeat(20), 'A'.repeat(896), 'A'.repeat(128)]
  const names = { banner: name, version: name, textVersion: name }
  const consentTexts = { ...names, tcf: string, addtlConsent: string, gpp, gppSections: Array(8).fill(-99) }
  const event = { eventName: 'e', eventId: 'e'.repeat(40), timestamp: 1, storage: { service: { consentTexts } } }
  const consent = withProof(
    { at: clock.now(), consent: { all: true } },
    { event, context: { trusted: true } },
    'service',
  )
  return { ...consent, objected: proofOfObjection(consent.proof!) }
}

/** Fills the profile with the maximum of each kind, stored by a trusted call. */
async function fillProfile(): Promise<number> {
  const text = 'x'.repeat(150)
  const custom = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key-${n}`.padEnd(90, '_'), n]))
  const captured = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`_ga_${n}`, `${n} ${text}`]))
  const names = Object.fromEntries(standardKeys.map((key) => [key, 'x'.repeat(500)]))
  return bytesWritten(() => learn({ keys: names, custom, captured }, true, longestConsent()))
}
/** The bytes of the smallest possible change. */
const fewestSent = 19

test('of a profile that is as large as it gets, a small change of a stranger writes at most 64 KiB and 20 times its bytes, and its repetition nothing', async () => {
  const filling = await fillProfile()
  assert.ok(filling > 30_000, `${filling} bytes fill a profile`)
  const most = 64 * 1024 + 20 * fewestSent
  for (const facts of [{ custom: { a: 1 } }, { captured: { _ga_1: 'a' } }, { keys: { city: 'Ulm' } }]) {
    const small = await bytesWritten(() => learn(facts))
    assert.ok(small > 0 && small <= most, `${JSON.stringify(facts)}: ${small} bytes`)
    assert.equal(await bytesWritten(() => learn(facts)), 0)
  }
})
