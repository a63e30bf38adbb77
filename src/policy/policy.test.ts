import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type PolicyType, policyTypes } from '#contract/policy.ts'
import type { AuditRecord, PolicyAcceptance, PolicyVersion, StoreChange } from '#store/store.ts'
import { findPolicy, isAccepted, latestVersions, parsePolicyName, publishPolicy, unacceptedPolicies } from './policy.ts'

const version = (policyType: PolicyType, version: string, required = false): PolicyVersion => ({
  policyType,
  version,
  required,
  publishedAt: 0,
})
const accepted = ({ policyType, version }: PolicyVersion): PolicyAcceptance => ({
  teamId: 'team_1',
  policyType,
  version,
  by: 'tok_1',
  at: 0,
})
const terms = version('TERMS_AND_CONDITIONS', '1', true)
const newTerms = version('TERMS_AND_CONDITIONS', '2', true)
const privacy = version('PRIVACY_POLICY', '1')
const published = [terms, privacy, newTerms]

test('the latest version of a type is the one that was published last, whatever its number', () => {
  assert.deepEqual(latestVersions(published), [newTerms, privacy])
  assert.deepEqual(latestVersions([newTerms, terms]), [terms])
  assert.deepEqual(latestVersions([]), [])
})

test('a policy id is a type, which means its latest version, or TYPE@version', () => {
  assert.equal(findPolicy(published, 'TERMS_AND_CONDITIONS'), newTerms)
  assert.equal(findPolicy(published, 'TERMS_AND_CONDITIONS@1'), terms)
  for (const unknown of [
    'DATA_PROCESSING_AGREEMENT',
    'TERMS_AND_CONDITIONS@3',
    'TERMS_AND_CONDITIONS@',
    'TERMS_AND_CONDITIONS@1@1',
    'terms_and_conditions',
    '@1',
    'constructor',
  ])
    assert.equal(findPolicy(published, unknown), undefined)
})

test('only the latest version of a required policy has to be accepted', () => {
  const unaccepted = [{ policyType: 'TERMS_AND_CONDITIONS', version: '2' }]
  assert.deepEqual(unacceptedPolicies(published, []), unaccepted)
  assert.deepEqual(unacceptedPolicies(published, [accepted(terms)]), unaccepted)
  assert.deepEqual(unacceptedPolicies(published, [accepted(newTerms)]), [])
  assert.deepEqual(
    unacceptedPolicies([terms, version('TERMS_AND_CONDITIONS', '2')], []),
    [],
    'the latest asks for nothing',
  )
})

test('no policy is left to accept after all required ones are accepted', () => {
  const one = fc.record({
    policyType: fc.constantFrom(...policyTypes),
    version: fc.constantFrom('1', '2', '3'),
    required: fc.boolean(),
    publishedAt: fc.constant(0),
  })
  fc.assert(
    fc.property(fc.array(one), fc.array(one), (all, some) => {
      const given = some.map(accepted)
      const missing = unacceptedPolicies(all, given)
      for (const policy of missing) assert.ok(!isAccepted(policy, given))
      assert.deepEqual(
        unacceptedPolicies(all, [...given, ...missing.map((each) => accepted({ ...privacy, ...each }))]),
        [],
      )
    }),
  )
})

test('a policy name has a known type and a version that fits in a URL', () => {
  const type = 'PRIVACY_POLICY'
  for (const version of ['1', '2026-11', 'v1.0_b'])
    assert.deepEqual(parsePolicyName({ type, version }), { policyType: type, version })
  for (const version of ['', ' ', '1@2', 'a/b', '-1', '.', 'x'.repeat(101)])
    assert.throws(() => parsePolicyName({ type, version }), { code: 'BAD_REQUEST' })
  assert.throws(
    () => parsePolicyName({ type: 'COOKIES', version: '' }),
    ({ attributes }) => attributes.issues.length === 2,
  )
})

/** A store of policies in memory. */
function openPolicies() {
  const rows: PolicyVersion[] = []
  const audit: AuditRecord[] = []
  const apply = (change: StoreChange) => {
    if ('put' in change && change.put === 'policy') {
      const at = rows.findIndex(({ version }) => version === change.row.version)
      if (at < 0) rows.push(change.row)
      else rows[at] = change.row
    } else if ('add' in change && change.add === 'audit') audit.push(change.row)
  }
  const store = { policies: async () => rows, write: async (changes: readonly StoreChange[]) => changes.forEach(apply) }
  return { rows, audit, store, clock: { now: () => 1_000 + rows.length } }
}

test('a version that is published again keeps its position; only required changes, and the audit log records it', async () => {
  const policies = openPolicies()
  const one = { policyType: 'PRIVACY_POLICY', version: '1' } as const
  await publishPolicy(policies, { ...one, required: false }, 'operator')
  await publishPolicy(policies, { ...one, version: '2', required: false }, 'operator')
  await publishPolicy(policies, { ...one, required: true }, 'operator')
  assert.deepEqual(policies.rows, [
    { ...one, required: true, publishedAt: 1_000 },
    { ...one, version: '2', required: false, publishedAt: 1_001 },
  ])
  assert.deepEqual(policies.audit.at(-1), {
    at: 1_002,
    by: 'operator',
    what: 'publishPolicy',
    object: 'PRIVACY_POLICY@1',
    before: { required: false },
    after: { required: true },
  })
})
