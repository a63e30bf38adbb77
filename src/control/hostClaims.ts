import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { type DeployWorld, deploy } from '#script/deploy.ts'
import type { Store } from '#store/store.ts'
import type { HostProofs } from '#tag/hostProofs.ts'
import { tagState } from '#tag/tag.ts'
import { inTurn } from './turn.ts'

export type HostClaimsDeps = DeployWorld & {
  clock: Clock
  log: Log
  store: Pick<Store, 'tag' | 'hostClaims'>
  hostProofs: Pick<HostProofs, 'checkDue'>
}

/** Who takes a host off a tag, in the audit. */
const by = 'server'
const everyMs = 60_000

/** Takes hosts off a tag whose claims were not proved in time: off the saved tag and off what is live. */
async function dropHosts(deps: HostClaimsDeps, tagId: string, dropped: readonly string[]): Promise<void> {
  await inTurn(tagId, async () => {
    const tag = await deps.store.tag(tagId)
    if (!tag) return
    const { teamId, settings } = tag
    const hosts = settings.hosts.filter((host) => !dropped.includes(host))
    const row = { ...tag, settings: { ...settings, hosts } }
    const at = deps.clock.now()
    const [before, after] = [tagState(tag), tagState(row)]
    await deploy(deps, tagId, {
      change: { set: { hosts } },
      by,
      saved: [
        { put: 'tag', row },
        { put: 'hosts', tagId, hosts, at },
        { add: 'audit', row: { at, by, what: 'updateTag', teamId, object: tagId, before, after } },
      ],
      isUnstoppable: true,
    })
    deps.log({ message: 'hosts were not proved in time', by, teamId, object: tagId, hosts: dropped })
  })
}

/** Asks DNS for the hosts whose time has come, and drops the claims that were not proved in time. */
export async function checkHostClaims(deps: HostClaimsDeps): Promise<void> {
  const unproved = Map.groupBy(await deps.hostProofs.checkDue(), ({ tagId }) => tagId)
  for (const [tagId, claims] of unproved)
    await dropHosts(
      deps,
      tagId,
      claims.map(({ host }) => host),
    )
}

/** Does so every minute, at once for the first time. */
export async function watchHostClaims(deps: HostClaimsDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await checkHostClaims(deps).catch((error) => {
      if (!signal.aborted) deps.log({ level: 'error', message: 'host names could not be checked', error })
    })
    await deps.clock.wait(everyMs, signal)
  }
}
