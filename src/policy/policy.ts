import { badRequest } from '#contract/fault.ts'
import { type PolicyName, type PolicyType, policyTypes } from '#contract/policy.ts'
import type { Clock } from '#kit/clock.ts'
import type { Acceptance, PolicyVersion, Store } from '#store/store.ts'

/** `published` is in the order of publication, as the store has it. */
type Published = readonly PolicyVersion[]

const isSame = (one: PolicyName) => (other: PolicyName) =>
  one.policyType === other.policyType && one.version === other.version

/** The latest version of each type that has one, in the order of the contract. */
export const latestOf = (published: Published): PolicyVersion[] =>
  policyTypes.flatMap((type) => published.findLast(({ policyType }) => policyType === type) ?? [])

/** The version that an id names: a type means its latest, `TYPE@version` exactly that one. */
export function findPolicy(published: Published, policyId: string): PolicyVersion | undefined {
  const [type, ...version] = policyId.split('@')
  return version.length === 0
    ? published.findLast(({ policyType }) => policyType === type)
    : published.find(isSame({ policyType: type as PolicyType, version: version.join('@') }))
}

export const isAccepted = (policy: PolicyName, acceptances: readonly Acceptance[]) => acceptances.some(isSame(policy))

/** What still has to be accepted before a script may be made: a version that a later one replaced asks for nothing. */
export const unaccepted = (published: Published, acceptances: readonly Acceptance[]): PolicyName[] =>
  latestOf(published)
    .filter((policy) => policy.required && !isAccepted(policy, acceptances))
    .map(({ policyType, version }) => ({ policyType, version }))

const isType = (text: string): text is PolicyType => policyTypes.some((type) => type === text)

/** What an operator says of a policy. Throws badRequest for a type that is none, or a version that no address can name. */
export function readPolicyName(asked: { type: string; version: string }): PolicyName {
  const issues = []
  if (!isType(asked.type)) issues.push({ path: 'type', message: `write ${policyTypes.join(', ')}` })
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(asked.version))
    issues.push({ path: 'version', message: 'write 1 to 100 letters, digits, dots and dashes, such as 2026-11' })
  if (!isType(asked.type) || issues.length > 0) throw badRequest(...issues)
  return { policyType: asked.type, version: asked.version }
}

/**
 * Publishes a version; the newest of a type is its latest. One that is published already keeps its place, and only
 * whether it is required changes.
 */
export async function publishPolicy(
  on: { clock: Pick<Clock, 'now'>; store: Pick<Store, 'policies' | 'write'> },
  { required, ...name }: PolicyName & { required: boolean },
  by: string,
): Promise<PolicyVersion> {
  const at = on.clock.now()
  const before = (await on.store.policies()).find(isSame(name))
  const row = { ...name, required, publishedAt: before?.publishedAt ?? at }
  const object = `${name.policyType}@${name.version}`
  const states = { ...(before && { before: { required: before.required } }), after: { required } }
  await on.store.write([
    { put: 'policy', row },
    { add: 'audit', row: { at, by, what: 'publishPolicy', object, ...states } },
  ])
  return row
}
