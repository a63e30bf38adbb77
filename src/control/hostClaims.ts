import type { WorkLeases } from '#cluster/cluster.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { type DeployDeps, deploy } from '#script/deploy.ts'
import type { Store } from '#store/store.ts'
import type { HostProofs } from '#tag/hostProofs.ts'
import { nextRevision } from '#tag/revision.ts'
import { tagAuditState } from '#tag/tag.ts'
import { auditStates } from './auditStates.ts'
import { withChangeLock } from './changeLock.ts'

type HostClaimsDeps = DeployDeps & {
  clock: Clock
  log: Log
  store: Pick<Store, 'tag' | 'hostClaims'>
  hostProofs: Pick<HostProofs, 'checkDue'>
}

/** The actor of these changes in the audit. */
const by = 'server'
const everyMs = 60_000

/** Removes hosts whose claims were not proved in time from the saved and the live tag. */
async function dropHosts(deps: HostClaimsDeps, tagId: string, dropped: readonly string[]): Promise<void> {
  await withChangeLock(tagId, async () => {
    const tag = await deps.store.tag(tagId)
    if (!tag) return
    const { teamId, settings } = tag
    const hosts = settings.hosts.filter((host) => !dropped.includes(host))
    const at = deps.clock.now()
    const row = { ...tag, ...nextRevision(tag, by, at), settings: { ...settings, hosts } }
    const states = auditStates({ before: tagAuditState(tag), after: tagAuditState(row) })
    await deploy(deps, tagId, {
      change: { set: { hosts } },
      by,
      saved: [
        { put: 'tag', row },
        { put: 'hosts', tagId, hosts, at },
        { add: 'audit', row: { at, by, what: 'updateTag', teamId, object: tagId, ...states } },
      ],
      ignoresHooks: true,
    })
    deps.log({
      message: 'removed host names from the tag: DNS did not prove them in time',
      by,
      teamId,
      object: tagId,
      hosts: dropped,
    })
  })
}

/** Checks due claims in DNS, and drops hosts that were not proved in time. */
export async function checkHostClaims(deps: HostClaimsDeps): Promise<void> {
  const unproved = Map.groupBy(await deps.hostProofs.checkDue(), ({ tagId }) => tagId)
  for (const [tagId, claims] of unproved)
    await dropHosts(
      deps,
      tagId,
      claims.map(({ host }) => host),
    )
}

/** Runs `checkHostClaims` immediately and then every minute, in one of all processes. */
export async function watchHostClaims(
  deps: HostClaimsDeps & { leases: Pick<WorkLeases, 'holds'> },
  signal: AbortSignal,
): Promise<void> {
  const check = async () => void ((await deps.leases.holds('hostProofs')) && (await checkHostClaims(deps)))
  while (!signal.aborted) {
    await check().catch((error) => {
      if (!signal.aborted)
        deps.log({
          level: 'error',
          message: 'could not check claimed host names; retrying in a minute',
          error,
        })
    })
    await deps.clock.wait(everyMs, signal)
  }
}
