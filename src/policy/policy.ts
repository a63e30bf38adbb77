import { badRequest, fault } from '#contract/fault.ts'
import { type PolicyName, type PolicyType, policyTypes } from '#contract/policy.ts'
import type { Clock } from '#kit/clock.ts'
import type { PolicyAcceptance, PolicyVersion, Store } from '#store/store.ts'

/** The published policies of a team, in order of publication. */
type PublishedVersions = readonly PolicyVersion[]

const isSamePolicy = (one: PolicyName) => (other: PolicyName) =>
  one.policyType === other.policyType && one.version === other.version

/** The latest version of each published type, in the order of the contract. */
export const latestVersions = (published: PublishedVersions): PolicyVersion[] =>
  policyTypes.flatMap((type) => published.findLast(({ policyType }) => policyType === type) ?? [])

/** The version that an id refers to: `TYPE` is the latest version of the type, `TYPE@version` exactly that one. */
export function findPolicy(published: PublishedVersions, policyId: string): PolicyVersion | undefined {
  const [type, ...version] = policyId.split('@')
  return version.length === 0
    ? published.findLast(({ policyType }) => policyType === type)
    : published.find(isSamePolicy({ policyType: type as PolicyType, version: version.join('@') }))
}

/** The acceptance of a policy by a team; undefined if there is none. */
export const findAcceptance = (policy: PolicyName, acceptances: readonly PolicyAcceptance[]) =>
  acceptances.find(isSamePolicy(policy))

export const isAccepted = (policy: PolicyName, acceptances: readonly PolicyAcceptance[]) =>
  findAcceptance(policy, acceptances) !== undefined

/**
 * The policies that must be accepted before a script can be created. Only the latest version of a type is required.
 */
export const unacceptedPolicies = (
  published: PublishedVersions,
  acceptances: readonly PolicyAcceptance[],
): PolicyName[] =>
  latestVersions(published)
    .filter((policy) => policy.required && !isAccepted(policy, acceptances))
    .map(({ policyType, version }) => ({ policyType, version }))

const isPolicyType = (text: string): text is PolicyType => policyTypes.some((type) => type === text)

/**
 * Parses a policy name from an operator. Throws badRequest for an unknown type or a version that does not fit in a
 * URL.
 */
export function parsePolicyName(input: { type: string; version: string }): PolicyName {
  const issues = []
  if (!isPolicyType(input.type)) issues.push({ path: 'type', message: `write ${policyTypes.join(', ')}` })
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(input.version))
    issues.push({ path: 'version', message: 'write 1 to 100 letters, digits, dots and dashes, such as 2026-11' })
  if (!isPolicyType(input.type) || issues.length > 0) throw badRequest(...issues)
  return { policyType: input.type, version: input.version }
}

/**
 * Publishes a version, which becomes the latest of its type. A version that is already published keeps its position;
 * only `required` and `url` change.
 */
export async function publishPolicy(
  deps: { clock: Pick<Clock, 'now'>; store: Pick<Store, 'policies' | 'write'> },
  { required, url, ...name }: PolicyName & { required: boolean; url?: string | null | undefined },
  by: string,
  from?: string,
): Promise<PolicyVersion> {
  const at = deps.clock.now()
  const before = (await deps.store.policies()).find(isSamePolicy(name))
  const row = { ...name, required, publishedAt: before?.publishedAt ?? at, ...(url != null && { url }) }
  const object = `${name.policyType}@${name.version}`
  const stateOf = (policy: PolicyVersion) => ({
    required: policy.required,
    ...(policy.url !== undefined && { url: policy.url }),
  })
  const states = { ...(before && { before: stateOf(before) }), after: stateOf(row) }
  await deps.store.write([
    { put: 'policy', row },
    { add: 'audit', row: { at, by, what: 'publishPolicy', object, ...(from !== undefined && { from }), ...states } },
  ])
  return row
}

/** Withdraws a published version. Acceptances are kept, as a record of who accepted it. Throws policyNotFound. */
export async function withdrawPolicy(
  deps: { clock: Pick<Clock, 'now'>; store: Pick<Store, 'policies' | 'write'> },
  name: PolicyName,
  by: string,
): Promise<PolicyName> {
  const before = (await deps.store.policies()).find(isSamePolicy(name))
  if (!before) throw fault('policyNotFound')
  const object = `${name.policyType}@${name.version}`
  await deps.store.write([
    { drop: 'policy', ...name },
    {
      add: 'audit',
      row: { at: deps.clock.now(), by, what: 'withdrawPolicy', object, before: { required: before.required } },
    },
  ])
  return name
}
