import { randomBytes } from 'node:crypto'
import { openKeyring } from '#account/keyring.ts'
import type { SimulatedEvent, SimulateLine } from '#contract/simulate.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { type GuardPolicy, OutboundDenied, vetUrl } from '#provider/engine/outboundGuard.ts'
import type { FetchRequest, FetchResponse, Job } from '#sandbox/job.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import type { Profile, StandardKeys } from '#user/profile.ts'
import type { UserRef } from '#user/profiles.ts'
import { webhookHostFunctions } from './webhookHostFunctions.ts'

type Reply = NonNullable<SimulateLine['replies']>[number]
type RecordedCalls = Required<Pick<SimulatedEvent, 'requests' | 'calls'>>

const answerTo = ({ url }: FetchRequest, reply: Reply | undefined): FetchResponse => ({
  url,
  status: reply?.status ?? 200,
  headers: { 'content-type': 'application/json', ...reply?.headers },
  body: JSON.stringify(reply?.json ?? {}),
})

const showRequest = ({ method, url, headers, body }: FetchRequest) => ({
  method,
  url,
  headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  ...(body !== null && { body }),
})

/** Checks only the URL, and its host if that is an IP address. A simulation does not resolve host names. */
function isRefused(url: string, guard: GuardPolicy): boolean {
  try {
    vetUrl(url, guard)
    return false
  } catch {
    return true
  }
}

/** `fetch` of a simulation: records the request, returns the next reply and sends nothing. Throws OutboundDenied. */
export const simulatedFetch =
  ({ requests }: Pick<RecordedCalls, 'requests'>, replies: Reply[], guard: GuardPolicy): NonNullable<Job['fetch']> =>
  async (request) => {
    const refused = isRefused(request.url, guard)
    requests.push({ ...showRequest(request), ...(refused && { refused }) })
    if (refused) throw new OutboundDenied()
    return answerTo(request, replies.shift())
  }

/** Profiles that contain only the user of the sample. */
function sampleProfiles({ userId = '', ...keys }: Readonly<Record<string, string>>) {
  const profile: Profile = { keys: keys as StandardKeys, custom: {}, captured: {}, seenAt: 0 }
  const email = keys.email?.trim().toLowerCase()
  return {
    get: async (whom: UserRef) => (whom.userId === userId ? profile : undefined),
    find: async (whom: UserRef) => (whom.userId === userId ? { profile } : {}),
    byEmail: async () => ({ claimants: [], isCrowded: false }),
    emailKey: (_: UserRef['tag'], requestedEmail: string) => requestedEmail.trim().toLowerCase(),
    ownerOf: async (_: UserRef['tag'], requestedEmail: string) =>
      userId && email === requestedEmail ? { userId, profile } : undefined,
    byCustom: async () => [],
    change: async () => ({ written: Promise.resolve() }),
  }
}

/**
 * The host functions of a simulated webhook. Each call is recorded, and checked and answered like a real one. Nothing
 * is stored.
 */
export function simulatedHostFunctions(
  { calls: recordedCalls }: Pick<RecordedCalls, 'calls'>,
  user: Readonly<Record<string, string>>,
  { teamId, brand, now }: { teamId: string; brand: string; now(): number },
): NonNullable<Job['calls']> {
  const keys = openKeyring(randomBytes(32), 'sandbox')
  keys.createTeamKey(teamId)
  const deps = {
    brand,
    stream: { append: async (entry: { keys: readonly unknown[] }) => entry.keys.map(() => true) },
    profiles: sampleProfiles(user),
    keys,
    clock: { now },
    intakeRate: unlimitedIntake,
  }
  const calls = webhookHostFunctions(
    { tag: { tagId: 'tag_simulated', teamId }, scriptId: 'scr_simulated', captures: () => noCaptureRules },
    deps,
  )
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        recordedCalls.push({ name, args })
        return call(...args)
      },
    ]),
  )
}
