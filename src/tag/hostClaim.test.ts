import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HostClaim } from '#store/store.ts'
import { checkedClaim, claimMs, claimState, endOfClaim, isDue, proofMs, servedClaim } from './hostClaim.ts'
import type { HostRecords } from './hostRecords.ts'

const dayMs = 86_400_000
const at = 1_790_000_000_000
const tagId = 'tag_01kxabcdefghjkmnpqrstvwxyz'
const claim: HostClaim = { tagId, host: 'd.example.com', claimedAt: at }
const none: HostRecords = { texts: [], aliases: [], isMissing: true }
const silent: HostRecords = {}
const proof: HostRecords = { texts: [tagId], aliases: [], isMissing: false }
const isProved = (records: HostRecords) => checkedClaim(claim, records, at)?.provedAt !== undefined

test('a TXT record with the tag’s id, or a CNAME with a label of it, proves a claim; nothing else does', () => {
  for (const records of [
    { texts: [tagId] },
    { texts: ['v=spf1 -all', ` ${tagId.toUpperCase()} `], aliases: [] },
    { aliases: [`${tagId}.aglet.example`] },
    { texts: [], aliases: [`${tagId.replace('_', '-')}.eu.aglet.example`] },
    { aliases: [`in.${tagId}`] },
  ])
    assert.ok(isProved(records), JSON.stringify(records))
  for (const records of [
    none,
    silent,
    { texts: ['tag_other', `${tagId}x`, `x ${tagId}`, ''], aliases: [] },
    { texts: [], aliases: ['aglet.example', `x${tagId}.aglet.example`, `${tagId}x.aglet.example`, tagId.slice(0, -1)] },
    { texts: [], aliases: [`${tagId.replace('_', '.')}.example`], isMissing: false },
  ])
    assert.ok(!isProved(records), JSON.stringify(records))
})

test('a claim that is not proved within seven days is dropped; one that is proved is not', () => {
  for (const records of [none, silent, { texts: [], aliases: ['other.example'], isMissing: false }]) {
    assert.ok(checkedClaim(claim, records, at + claimMs), 'on the seventh day')
    assert.equal(checkedClaim(claim, records, at + claimMs + 1), undefined)
  }
  assert.equal(checkedClaim(claim, proof, at + claimMs + 1)?.provedAt, at + claimMs + 1)
  assert.equal(endOfClaim(claim), at + claimMs)
})

test('a proof lasts three days after it was last seen, then the claim has seven days again', () => {
  const proved = checkedClaim(claim, proof, at + 1)!
  assert.deepEqual([proved.provedSince, proved.provedAt, endOfClaim(proved)], [at + 1, at + 1, undefined])
  const remembered = checkedClaim(proved, none, at + 1 + proofMs)!
  assert.equal(remembered.provedAt, at + 1)
  assert.equal(endOfClaim(remembered), at + 1 + proofMs)
  assert.equal(servedClaim([remembered]), remembered)
  const lostAt = at + 2 + proofMs
  const lost = checkedClaim(remembered, none, lostAt)!
  assert.deepEqual(lost, { tagId, host: claim.host, claimedAt: lostAt, checkedAt: lostAt, isMissing: true })
  assert.equal(servedClaim([lost]), undefined)
  assert.ok(checkedClaim(lost, none, lostAt + claimMs))
  assert.equal(checkedClaim(lost, none, lostAt + claimMs + 1), undefined)
})

test('name servers that do not answer never end a proof', () => {
  const proved = checkedClaim(claim, proof, at)!
  for (const records of [silent, { texts: [] }, { aliases: [] }]) {
    const later = checkedClaim(proved, records, at + 100 * dayMs)!
    assert.deepEqual([later.provedAt, servedClaim([later])?.tagId], [at, tagId])
  }
})

test('a name without a record is missing, proved or not, until it has one', () => {
  const missing = checkedClaim(claim, { ...proof, isMissing: true }, at)!
  assert.equal(claimState(missing, [missing]), 'missing')
  assert.equal(servedClaim([missing])?.isMissing, true)
  const unanswered = checkedClaim(missing, { texts: [tagId], aliases: [] }, at + 1)!
  assert.equal(claimState(unanswered, [unanswered]), 'missing', 'nobody has said otherwise')
  const found = checkedClaim(unanswered, proof, at + 2)!
  assert.equal(claimState(found, [found]), 'ready')
  const elsewhere = checkedClaim(claim, { texts: [], aliases: [], isMissing: false }, at)!
  assert.equal(claimState(elsewhere, [elsewhere]), 'unproved')
})

test('a host is looked up every ten minutes until it is ready, and every day from then on', () => {
  const minutes = (count: number) => at + count * 60_000
  const pending = checkedClaim(claim, none, at)!
  const ready = checkedClaim(claim, proof, at)!
  const missing = checkedClaim(claim, { ...proof, isMissing: true }, at)!
  assert.ok(isDue(claim, at))
  for (const each of [pending, missing])
    assert.deepEqual([isDue(each, minutes(9)), isDue(each, minutes(10))], [false, true])
  assert.deepEqual([isDue(ready, at + dayMs - 1), isDue(ready, at + dayMs)], [false, true])
  assert.ok(isDue(ready, at - 1), 'of a clock that was set back')
})

/** Look-ups of a host that several tags claim. Each one names some of the tags, or has no answer. */
const lookUps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 1, max: 2 * dayMs }),
    named: fc.option(fc.subarray(['tag_1', 'tag_2', 'tag_3']), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 30 },
)

test('for any DNS answers, a host is served only for a tag that DNS has named, and while it names any only for one of those', () => {
  fc.assert(
    fc.property(lookUps, (all) => {
      let now = at
      let claims: HostClaim[] = ['tag_1', 'tag_2', 'tag_3'].map((each) => ({ ...claim, tagId: each }))
      const namedAt = new Map<string, number>()
      for (const { afterMs, named } of all) {
        now += afterMs
        const records = named ? { texts: named, aliases: [], isMissing: false } : silent
        claims = claims.flatMap((each) => checkedClaim(each, records, now) ?? [])
        for (const each of named ?? []) if (claims.some(({ tagId: own }) => own === each)) namedAt.set(each, now)
        const served = servedClaim(claims)
        if (served) assert.ok(namedAt.has(served.tagId), 'never named')
        const isNamed = claims.some(({ provedAt }) => provedAt === now)
        if (isNamed) assert.ok(named?.includes(served!.tagId), 'another is named')
        if (named?.length === 0 && served) assert.ok(now - namedAt.get(served.tagId)! <= proofMs, 'long not named')
        for (const each of claims)
          assert.equal(claimState(each, claims) === 'ready', served?.tagId === each.tagId, 'one is ready at most')
      }
    }),
  )
})

test('if DNS names several tags, the one that was proved first is served, also after a restart', () => {
  const [first, second] = [
    { ...claim, tagId: 'tag_b', provedSince: at, provedAt: at + 9 },
    { ...claim, tagId: 'tag_a', provedSince: at + 1, provedAt: at + 9 },
  ]
  assert.equal(servedClaim([second, first]), first)
  assert.equal(servedClaim([first, { ...second, provedAt: at + 10 }])?.tagId, 'tag_a', 'which DNS names now')
})
